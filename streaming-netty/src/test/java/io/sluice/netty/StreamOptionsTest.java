package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.netty.options.DeclaredOption;
import io.sluice.netty.options.DeclaredOptions;
import io.sluice.netty.transport.SocketBuffers;
import io.sluice.streaming.Deadlines;
import io.sluice.streaming.Limit;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.access.Holds;
import io.sluice.streaming.install.StagingLimits;
import io.sluice.streaming.memory.MemoryBudget;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.transfer.ModeSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StreamOptionsTest {
    private static final Path SOURCE = Path.of("src/main/java/io/sluice/netty/StreamOptions.java");
    private static final UUID ID = new UUID(1, 2);

    private static Map<String, String> changed(UnaryOperator<StreamOptions.Builder> setting) {
        Map<String, String> defaults = StreamOptions.builder().build().settings();
        Map<String, String> settings = new java.util.TreeMap<>(
                setting.apply(StreamOptions.builder()).build().settings());
        settings.entrySet().removeAll(defaults.entrySet());
        return settings;
    }

    @Test
    void what_is_set_in_code_is_what_its_key_sets() {
        Deadlines waits = new Deadlines(
                Duration.ofMillis(200), Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(3), HOUR);
        RetryPolicy policy = new RetryPolicy(1, 2, Duration.ofNanos(3), Duration.ZERO, Duration.ofMillis(5), HOUR);

        assertThat(changed(options -> options.clusterName("prod").clusterId(ID).connectionsPerHost(4)))
                .isEqualTo(Map.of(
                        "cluster_name", "prod",
                        "cluster_id", ID.toString(),
                        "streaming_connections_per_host", "4"));
        assertThat(changed(options -> options.streamEntireSSTables(false).streamSlices(false)))
                .isEqualTo(Map.of("stream_entire_sstables", "false", "stream_slices", "false"));
        assertThat(changed(options -> options.throughput(Limit.STREAM_THROUGHPUT_INBOUND, 1536 << 10)))
                .isEqualTo(Map.of("stream_throughput_inbound", "1536KiB/s"));
        assertThat(changed(options ->
                        options.keepAliveSeconds(60).memoryBytes(1 << 30).maxOpenFiles(7)))
                .isEqualTo(Map.of(
                        "streaming_keep_alive_period", "1m",
                        "streaming_memory", "1GiB",
                        "stream_max_open_files", "7"));
        assertThat(changed(options ->
                        options.sessionsPerPeer(1).allowPlaintext(true).schemaTimeout(HOUR)))
                .isEqualTo(Map.of(
                        "streaming_sessions_per_peer", "1",
                        "allow_plaintext", "true",
                        "streaming_schema_timeout", "1h"));
        assertThat(changed(options -> options.deadlines(waits)))
                .isEqualTo(Map.of(
                        "streaming_keep_alive_period", "200ms",
                        "streaming_silence_timeout", "1s",
                        "streaming_prepare_timeout", "2s",
                        "streaming_transfer_timeout", "3s",
                        "streaming_install_timeout", "1h"));
        assertThat(StreamOptions.builder().deadlines(waits).build().deadlines()).isEqualTo(waits);
        assertThat(StreamOptions.builder().retries(policy).build().retries()).isEqualTo(policy);
    }

    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void the_defaults_are_those_of_the_types_that_have_some() {
        StreamOptions options = StreamOptions.builder().build();

        assertThat(options.retries()).isEqualTo(RetryPolicy.DEFAULTS);
        assertThat(options.deadlines()).isEqualTo(Deadlines.of(Duration.ofSeconds(5)));
        assertThat(options.staging()).isEqualTo(StagingLimits.DEFAULTS);
        assertThat(options.memory()).isEqualTo(MemoryBudget.DEFAULTS);
        assertThat(options.holds()).isEqualTo(Holds.Rules.DEFAULTS);
        assertThat(options.modes()).isEqualTo(ModeSettings.DEFAULTS);
        assertThat(options.cluster()).isEqualTo(Message.Cluster.named("sluice"));
        assertThat(options.throughput().values()).containsOnly(0L);
        assertThat(options.tls()).isEmpty();
        assertThat(options.socketBufferBytes()).isEqualTo(SocketBuffers.defaultBytes());
        assertThat(options.congestionControl()).isEmpty();
        assertThat(options.dutyBesideClients()).isEqualTo(60);
    }

    @Test
    void what_has_no_method_is_set_by_its_key() {
        StreamOptions options = StreamOptions.builder()
                .settings(Map.of(
                        "partitioner", "Other",
                        "min_free_space_per_drive", "0B",
                        "staging_headroom", "50%",
                        "staging_retained", "0%",
                        "staging_retained_age", "1d",
                        "streaming_obsolete_files", "100%",
                        "streaming_socket_buffer_size", "64KiB",
                        "streaming_congestion_control", "bbr",
                        "streaming_duty_beside_clients", "90%",
                        "violations_before_hold", "0"))
                .set("remote_nodes", ID.toString())
                .set("peers", "a, b")
                .peers(() -> List.of("c"))
                .build();

        assertThat(options.cluster().partitioner()).isEqualTo("Other");
        assertThat(options.staging()).isEqualTo(new StagingLimits(0, 50, 0, Duration.ofDays(1)));
        assertThat(options.pinnedPercent()).isEqualTo(100);
        assertThat(options.socketBufferBytes()).isEqualTo(64 << 10);
        assertThat(options.congestionControl()).isEqualTo("bbr");
        assertThat(options.dutyBesideClients()).isEqualTo(90);
        assertThat(options.holds().violations()).isZero();
        assertThat(options.isRemote()).accepts(ID).rejects(new UUID(3, 4));
        assertThat(options.peers().get()).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void identity_and_trust_are_the_same_by_keys_and_in_code() {
        TlsFiles files = new TlsFiles(Path.of("c"), Path.of("k"), Path.of("t"), false).revoking(Path.of("r"));
        StreamOptions.Builder keys = StreamOptions.builder()
                .settings(Map.of("tls_certificate", "c", "tls_key", "k", "tls_trust", "t"))
                .set("tls_revoked", "r")
                .set("tls_verify_endpoint", "false");

        assertThat(keys.build().tls()).contains(files);
        assertThat(StreamOptions.builder().tls(files).build().tls()).contains(files);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            tls_key                      | k   | tls_certificate, tls_key, tls_trust: only some are set (expected: all three, or none)
            tls_revoked                  | r   | tls_revoked: set without tls_certificate, tls_key and tls_trust (expected: none
            streaming_silence_timeout    | 5s  | streaming_silence_timeout: '5s' (expected: more than streaming_keep_alive_period, 5s)
            streaming_retry_max_attempts | 3   | streaming_retry_max_attempts: '3' (expected: at least streaming_retry_attempts, 4)
            """)
    void options_that_contradict_each_other_are_refused(String key, String text, String complaint) {
        StreamOptions.Builder options = StreamOptions.builder().set(key, text);

        assertThatThrownBy(options::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(complaint);
    }

    @Test
    void what_is_not_allowed_is_refused_where_it_is_set() {
        StreamOptions.Builder options = StreamOptions.builder();

        assertThatThrownBy(() -> options.set("streaming_conections_per_host", "1"))
                .hasMessage("unknown key 'streaming_conections_per_host'"
                        + " (did you mean 'streaming_connections_per_host'?)");
        assertThatThrownBy(() -> options.connectionsPerHost(33))
                .hasMessage("streaming_connections_per_host: '33' (expected: auto, or a whole number from 1 to 32)");
        assertThatThrownBy(() -> options.throughput(Limit.STREAM_THROUGHPUT_INBOUND, -1))
                .hasMessageStartingWith("stream_throughput_inbound: '-1B/s' (expected: a rate");
        assertThatThrownBy(() -> options.clusterName(" ")).hasMessageStartingWith("cluster_name: ' ' (expected: 1 to");
        assertThat(options.build().settings())
                .isEqualTo(StreamOptions.builder().build().settings());
    }

    /** Javadoc of a method says key and default: of an option that there is, as it is declared. */
    @Test
    void the_javadoc_of_the_builder_says_what_is_declared() throws IOException {
        String javadoc = Files.readString(SOURCE).replaceAll("\\s+\\*? ?", " ");
        Set<String> named = new HashSet<>();

        Matcher keys =
                Pattern.compile("Key \\{@code (\\w+)}, default (\\w+)\\.").matcher(javadoc);
        while (keys.find()) {
            DeclaredOption<?> option = DeclaredOptions.of(keys.group(1));
            assertThat(keys.group(2)).as(option.key()).isEqualTo(option.fallback());
            named.add(option.key());
        }

        assertThat(named).hasSize(11);
    }
}
