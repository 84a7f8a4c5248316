package io.sluice.harness.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.streaming.Limit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SluiceConfigTest {
    private static final Path SHIPPED = Path.of("..", "conf", "sluice.yaml");

    @TempDir
    private Path temporary = Path.of("");

    private SluiceConfig read(String yaml) throws IOException {
        return SluiceConfig.read(Files.writeString(temporary.resolve("sluice.yaml"), yaml));
    }

    @Test
    void the_shipped_file_holds_every_key_with_its_default() {
        Map<String, String> written = ConfigFile.read(SHIPPED, SluiceConfig.ALL).texts();

        assertThat(SluiceConfig.ALL)
                .allSatisfy(setting -> assertThat(written.get(setting.key()))
                        .as(setting.key())
                        .isEqualTo(setting.fallback().orElseThrow()));
    }

    @Test
    void an_empty_file_means_all_defaults() throws IOException {
        assertThat(read("").streaming()).isEqualTo(SluiceConfig.read(SHIPPED).streaming());
    }

    @Test
    void amounts_carry_units() throws IOException {
        StreamSettings settings =
                read("entire_sstable_stream_throughput_outbound: 1.5MiB/s\nstreaming_keep_alive_period: 2m\n")
                        .streaming();

        assertThat(settings.throughput()).containsEntry(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, 3L << 19);
        assertThat(settings.streamingKeepAlivePeriod()).isEqualTo(120);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
                    streaming_connections_per_host: 0              | :1: streaming_connections_per_host: '0' (expected: auto, or a whole number from 1 to 32)
                    stream_throughput_outbound: 24                 | :1: stream_throughput_outbound: '24' (expected: a rate as 24MiB/s, or 0 for no limit)
                    stream_throughput_outbound: 24Mb/s             | '24Mb/s' (expected: a rate as 24MiB/s
                    stream_entire_sstables: yes                    | 'yes' (expected: true or false)
                    initial_token: 9223372036854775808             | (expected: tokens from -2^63 to 2^63-1
                    node_id: 17                                    | (expected: a UUID, or auto)
                    streaming_keep_alive_period: 0s                | (expected: a period as 30s or 5m, from 1s to 86400s)
                    streaming_memory: 15MiB                        | :1: streaming_memory: '15MiB' (expected: bytes with a unit, from 16MiB on)
                    nonsense: 1                                    | :1: unknown key 'nonsense' (expected: one of cluster_name
                    "node_name: a\nnode_name: b"                   | :2: key 'node_name' is already in line 1
                    "node_name: [a, b]"                            | :1: a sequence (expected: one value)
                    "- node_name"                                  | :1: not a list of 'key: value'
                    "node_name: !!javax.script.ScriptEngineManager [a]" | :1: not YAML: Global tag is not allowed
                    "node_name: {a: b"                             | not YAML
                    """)
    void a_bad_file_is_refused_with_line_and_what_is_allowed(String yaml, String complaint) {
        assertThatThrownBy(() -> read(yaml.replace("\\n", "\n")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("sluice.yaml")
                .hasMessageContaining(complaint);
    }

    @Test
    void a_file_that_is_not_there_is_named() {
        assertThatThrownBy(() -> SluiceConfig.read(temporary.resolve("none.yaml")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("none.yaml: cannot be read");
    }
}
