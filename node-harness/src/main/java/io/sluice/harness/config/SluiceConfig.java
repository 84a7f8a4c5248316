package io.sluice.harness.config;

import io.sluice.harness.store.SyncPolicy;
import io.sluice.streaming.Limit;
import io.sluice.streaming.memory.MemoryBudget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/** A checked sluice.yaml: all settings of a node. Every key, its type and its default are declared here. Immutable. */
public final class SluiceConfig {
    private static final List<Setting> LIMITS = Arrays.stream(Limit.values())
            .map(limit -> Setting.of(limit.key(), ValueType.RATE, "0"))
            .toList();

    private static final List<Setting> STREAMING = List.of(
            Setting.of("cluster_name", ValueType.TEXT, "sluice"),
            Setting.of("stream_entire_sstables", ValueType.FLAG, "true"),
            Setting.of("stream_slices", ValueType.FLAG, "true"),
            Setting.of("stream_drop_page_cache", ValueType.FLAG, "false"),
            Setting.of("streaming_connections_per_host", ValueType.autoOrInteger(1, 32), "auto"),
            Setting.of("streaming_keep_alive_period", ValueType.seconds(1, 86_400), "5s"),
            Setting.of("streaming_memory", ValueType.bytesFrom(MemoryBudget.LEAST_BYTES, "16MiB"), "512MiB"),
            Setting.of("streaming_sessions_per_peer", ValueType.integer(1, 1_024), "64"),
            Setting.of("stream_max_open_files", ValueType.autoOrInteger(1, 1_000_000), "auto"),
            Setting.of("remote_nodes", ValueType.UUIDS, "none"),
            Setting.of("peers", ValueType.TEXTS, "none"),
            Setting.of("tls_certificate", ValueType.PATH_OR_NONE, "none"),
            Setting.of("tls_key", ValueType.PATH_OR_NONE, "none"),
            Setting.of("tls_trust", ValueType.PATH_OR_NONE, "none"),
            Setting.of("tls_revoked", ValueType.PATH_OR_NONE, "none"),
            Setting.of("tls_verify_endpoint", ValueType.FLAG, "true"),
            Setting.of("tls_fingerprints", ValueType.FINGERPRINTS, "none"),
            Setting.of("allow_plaintext", ValueType.FLAG, "false"),
            Setting.of("violations_before_hold", ValueType.integer(0, 100), "3"));

    static final List<Setting> NODE = List.of(
            Setting.of("node_name", ValueType.TEXT, "node1"),
            Setting.of("node_id", ValueType.UUID_OR_AUTO, "auto"),
            Setting.of("dc", ValueType.TEXT, "datacenter1"),
            Setting.of("rack", ValueType.TEXT, "rack1"),
            Setting.of("listen_address", ValueType.TEXT, "127.0.0.1"),
            Setting.of("storage_port", ValueType.integer(1, 65_535), "7000"),
            Setting.of("admin_address", ValueType.TEXT, "auto"),
            Setting.of("admin_port", ValueType.integer(1, 65_535), "7080"),
            Setting.of("admin_token_file", ValueType.PATH, "work/admin.token"),
            Setting.of("initial_token", ValueType.TOKENS, "0"),
            Setting.of("data_directory", ValueType.PATH, "work/node1/data"),
            Setting.of("log_directory", ValueType.PATH, "work/node1/logs"),
            Setting.of("commitlog_sync", ValueType.oneOf(SyncPolicy.values()), "batch"),
            Setting.of("memtable_heap_space", ValueType.BYTES, "16MiB"),
            Setting.of("compaction", ValueType.oneOf(NodeSettings.Compaction.values()), "none"));

    static final List<Setting> ALL =
            Stream.of(STREAMING, LIMITS, NODE).flatMap(List::stream).toList();

    private final ConfigFile file;

    private SluiceConfig(ConfigFile file) {
        this.file = file;
    }

    /**
     * Reads and checks a file.
     *
     * @throws ConfigException naming file, line and what is allowed
     */
    public static SluiceConfig read(Path path) {
        return new SluiceConfig(ConfigFile.read(path, ALL));
    }

    public StreamSettings streaming() {
        Map<String, Object> values = file.values(STREAMING);
        Map<String, Object> limits = new LinkedHashMap<>();
        file.values(LIMITS).forEach((key, rate) -> limits.put(key.toUpperCase(Locale.ROOT), rate));
        values.put("throughput", limits);
        return ConfigFile.bind(values, StreamSettings.class);
    }

    public NodeSettings node() {
        return ConfigFile.bind(file.values(NODE), NodeSettings.class);
    }

    /** The same settings, but {@code replaced} in place of the keys that it names. */
    public SluiceConfig with(Map<String, String> replaced) {
        Map<String, String> texts = new LinkedHashMap<>(file.texts());
        texts.putAll(replaced);
        return new SluiceConfig(new ConfigFile(file.path(), texts, file.lines(), file.lists()));
    }

    /** Writes a file with this one's settings, but {@code replaced} in place of the keys that it names. */
    public void writeWith(Map<String, String> replaced, Path path) throws IOException {
        Map<String, String> texts = new LinkedHashMap<>(file.texts());
        texts.putAll(replaced);
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        Files.writeString(path, new Yaml(options).dump(texts));
    }
}
