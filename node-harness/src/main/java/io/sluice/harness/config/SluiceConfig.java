package io.sluice.harness.config;

import io.sluice.harness.store.SyncPolicy;
import io.sluice.netty.StreamOptions;
import io.sluice.netty.options.DeclaredOptions;
import io.sluice.netty.options.ValueType;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/** A checked sluice.yaml: all settings of a node. Every key, its type and its default are declared here. Immutable. */
public final class SluiceConfig {
    /** The settings of streaming, as declared by the library. */
    static final List<Setting> STREAMING =
            DeclaredOptions.ALL.stream().map(Setting::of).toList();

    /** The settings of a node's identity and place. */
    static final List<Setting> NODE = List.of(
            Setting.of("node_name", ValueType.TEXT, "node1", "Human-readable name, in logs and reports."),
            Setting.of(
                    "node_id",
                    ValueTypes.UUID_OR_AUTO,
                    "auto",
                    "Id that no other node ever has. auto makes it from the name."),
            Setting.of(
                    "dc",
                    ValueType.TEXT,
                    "datacenter1",
                    "Data centre of the node: plans prefer near sources, and replicas are spread over racks."),
            Setting.of("rack", ValueType.TEXT, "rack1", "Rack of the node in its data centre."),
            Setting.of("listen_address", ValueType.TEXT, "127.0.0.1", "Address where peers connect."),
            Setting.of("storage_port", ValueType.integer(1, 65_535), "7000", "Port where peers connect."),
            Setting.of(
                    "admin_address",
                    ValueType.TEXT,
                    "auto",
                    "Where the admin endpoint is. auto is an address that only this machine reaches, listen_address if"
                            + " it is one. Or a Unix domain socket, as unix:work/admin.socket, of mode 0600. An address"
                            + " that other machines reach is refused."),
            Setting.of(
                    "admin_port",
                    ValueType.integer(1, 65_535),
                    "7080",
                    "Port of the admin endpoint, for ./sluice netstats and the like; not used by a Unix domain socket."),
            Setting.of(
                    "admin_token_file",
                    ValueType.PATH,
                    "work/admin.token",
                    "File with the token that requests to the admin endpoint must have: whoever can read it may stop"
                            + " the node. Created at the start if missing, readable by its owner alone; a file that"
                            + " others may read is refused."),
            Setting.of("initial_token", ValueTypes.TOKENS, "0", "Tokens of the node."),
            Setting.of(
                            "data_file_directories",
                            ValueTypes.PATHS,
                            "work/node1/data",
                            "Each holds a folder for each keyspace, <keyspace>/<table>-<id>/, and .sluice-staging for"
                                    + " what is not installed yet. Several are volumes that may fail alone: an SSTable"
                                    + " lies whole on the one with most room. The first has the commit log, too. Also"
                                    + " data_directory, for one.")
                    .or("data_directory"),
            Setting.of(
                    "log_directory",
                    ValueType.PATH,
                    "work/node1/logs",
                    "Holds node.log, audit.log, and console.log for what went wrong early."),
            Setting.of(
                    "stream_drop_page_cache",
                    ValueType.FLAG,
                    "false",
                    "Whether SSTables leave the memory of the operating system when they were sent, or are on the disk"
                            + " after they arrived, so that they do not push out what is read often. Needs dd of GNU"
                            + " coreutils."),
            Setting.of(
                    "commitlog_sync",
                    ValueTypes.oneOf(SyncPolicy.values()),
                    "batch",
                    "When a write is acknowledged: batch, when it is on disk; periodic, when the kernel has it, a"
                            + " second before it is on disk."),
            Setting.of(
                    "memtable_heap_space",
                    ValueType.BYTES,
                    "16MiB",
                    "Written bytes after which memtables are flushed to SSTables; in memory they take several times as"
                            + " much."),
            Setting.of(
                    "compaction",
                    ValueTypes.oneOf(NodeSettings.Compaction.values()),
                    "none",
                    "Which SSTables become one."));

    private static final List<String> TLS_FILES = List.of(
            DeclaredOptions.TLS_CERTIFICATE.key(),
            DeclaredOptions.TLS_KEY.key(),
            DeclaredOptions.TLS_TRUST.key(),
            DeclaredOptions.TLS_REVOKED.key());

    static final List<Setting> ALL =
            Stream.of(STREAMING, NODE).flatMap(List::stream).toList();

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
        SluiceConfig config = new SluiceConfig(ConfigFile.read(path, ALL));
        try {
            config.streaming().build();
        } catch (IllegalArgumentException e) { // keys that contradict each other
            throw new ConfigException(path + ": " + e.getMessage(), e);
        }
        return config;
    }

    /**
     * Looks whether a node can run on this machine with these settings.
     *
     * @throws ConfigException naming file and line, if no port can be bound at {@code listen_address}, or a file of TLS
     *     cannot be read
     * @throws IOException if that cannot be found out
     */
    public void requireUsable() throws IOException {
        String listen = node().listenAddress();
        try (ServerSocket probe = new ServerSocket()) {
            probe.bind(new InetSocketAddress(InetAddress.getByName(listen), 0));
        } catch (UnknownHostException e) {
            String expected = "an IP address, or a name that is known here";
            throw new ConfigException(wrong("listen_address", listen + ": is no address", expected), e);
        } catch (BindException e) {
            String found = listen + ": is no address of this machine";
            throw new ConfigException(wrong("listen_address", found, "one of its own"), e);
        }
        for (String key : TLS_FILES) {
            String named = file.texts().get(key);
            if (named != null && !named.equals("none") && !Files.isReadable(Path.of(named))) {
                String expected = "a PEM file that this user may read";
                throw new ConfigException(wrong(key, named + ": cannot be read", expected));
            }
        }
    }

    private String wrong(String key, String found, String expected) {
        Integer line = file.lines().get(key); // none if the value is the default
        String place = file.path() + (line == null ? "" : ":" + line);
        return place + ": " + key + ": " + found + " (expected: " + expected + ")";
    }

    /** A builder of the streaming options, to which an embedder may add. */
    public StreamOptions.Builder streaming() {
        Map<String, String> texts = new LinkedHashMap<>(file.texts());
        texts.keySet().retainAll(STREAMING.stream().map(Setting::key).toList());
        return StreamOptions.builder().settings(texts);
    }

    public NodeSettings node() {
        return ConfigFile.bind(file.values(NODE), NodeSettings.class);
    }

    /** The values that the file sets, by key, including secrets. */
    public Map<String, String> texts() {
        return file.texts();
    }

    /** The same settings, with {@code replaced} replacing the keys that it names. */
    public SluiceConfig with(Map<String, String> replaced) {
        Map<String, String> texts = new LinkedHashMap<>(file.texts());
        texts.putAll(replaced);
        return new SluiceConfig(new ConfigFile(file.path(), texts, file.lines(), file.lists()));
    }

    /** Writes a file with these settings, with {@code replaced} replacing the keys that it names. */
    public void writeWith(Map<String, String> replaced, Path path) throws IOException {
        Map<String, Object> texts = new LinkedHashMap<>(file.texts());
        texts.putAll(replaced);
        NODE.stream()
                .filter(Setting::isList)
                .forEach(setting -> texts.computeIfPresent(
                        setting.key(), (key, text) -> text.toString().lines().toList()));
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        Files.writeString(path, new Yaml(options).dump(texts));
    }
}
