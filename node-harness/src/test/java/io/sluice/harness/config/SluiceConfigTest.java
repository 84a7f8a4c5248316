package io.sluice.harness.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
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

    /** After a change of a declaration: {@code cp node-harness/target/sluice.yaml conf/}. */
    @Test
    void the_shipped_file_is_what_is_declared() throws IOException {
        Files.writeString(Path.of("target", "sluice.yaml"), SettingsPages.yaml());

        assertThat(Files.readString(SHIPPED))
                .as("cp node-harness/target/sluice.yaml conf/")
                .isEqualTo(SettingsPages.yaml());
    }

    @Test
    void the_shipped_file_says_what_holds_without_it() {
        Map<String, String> written = ConfigFile.read(SHIPPED, SluiceConfig.ALL).texts();

        assertThat(SluiceConfig.ALL)
                .allSatisfy(setting -> assertThat(written.get(setting.key()))
                        .as(setting.key())
                        .isEqualTo(setting.fallback().orElseThrow()));
    }

    /** Its first use decides where Logback writes: a node sets that after it has read its settings. */
    @Test
    void settings_are_read_without_a_logger() throws Exception {
        URL[] classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> url(Path.of(entry)))
                .toArray(URL[]::new);
        try (URLClassLoader noLoggers = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader()) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                if (name.startsWith("org.slf4j.")) {
                    throw new ClassNotFoundException(name);
                }
                return super.findClass(name);
            }
        }) {
            Class<?> reader = noLoggers.loadClass(SluiceConfig.class.getName());
            Object config = reader.getMethod("read", Path.class).invoke(null, SHIPPED);

            assertThat(reader.getMethod("streaming").invoke(config)).isNotNull();
            assertThat(reader.getMethod("node").invoke(config)).isNotNull();
        }
    }

    private static URL url(Path path) {
        try {
            return path.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void keys_that_contradict_each_other_are_refused_with_the_file() {
        assertThatThrownBy(() -> read("tls_key: work/key.pem\n"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("sluice.yaml: tls_certificate, tls_key, tls_trust: only some are set");
    }

    @Test
    void a_wrong_key_is_refused_with_line_and_the_nearest_one() {
        assertThatThrownBy(() -> read("node_name: a\nstreaming_memry: 1GiB\n"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(
                        "sluice.yaml:2: unknown key 'streaming_memry' (did you mean 'streaming_memory'?)");
    }

    @Test
    void a_folder_is_not_called_bad_yaml() {
        assertThatThrownBy(() -> SluiceConfig.read(temporary))
                .isInstanceOf(ConfigException.class)
                .hasMessage(temporary + ": is a folder (expected: a YAML file)");
    }

    @Test
    void an_empty_file_means_all_defaults() throws IOException {
        assertThat(read("").streaming().build().settings())
                .isEqualTo(SluiceConfig.read(SHIPPED).streaming().build().settings());
    }

    @Test
    void amounts_carry_units() throws IOException {
        Map<String, String> settings =
                read("entire_sstable_stream_throughput_outbound: 1.5MiB/s\nstreaming_keep_alive_period: 2m\n")
                        .streaming()
                        .build()
                        .settings();

        assertThat(settings)
                .containsEntry("entire_sstable_stream_throughput_outbound", (3 << 9) + "KiB/s")
                .containsEntry("streaming_keep_alive_period", "2m");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
                    streaming_connections_per_host: 0              | :1: streaming_connections_per_host: '0' (expected: auto, or a whole number from 1 to 32)
                    stream_throughput_outbound: 24                 | :1: stream_throughput_outbound: '24' (expected: a rate as 24MiB/s, or 0 for no limit)
                    stream_throughput_outbound: 24Mb/s             | '24Mb/s' (expected: a rate as 24MiB/s
                    stream_entire_sstables: yes                    | 'yes' (expected: true or false)
                    initial_token: 9223372036854775808             | (expected: tokens from -2^63 to 2^63-1
                    node_id: 17                                    | (expected: auto, or a UUID)
                    streaming_keep_alive_period: 0s                | (expected: a period as 30s or 5m, from 100ms to 24h)
                    streaming_memory: 15MiB                        | :1: streaming_memory: '15MiB' (expected: bytes with a unit, from 16MiB to 1024TiB)
                    nonsense: 1                                    | :1: unknown key 'nonsense' (expected: one of cluster_name
                    "node_name: a\nnode_name: b"                   | :2: key 'node_name' is already in line 1
                    "node_name: [a, b]"                            | :1: a sequence (expected: one value)
                    "data_directory: a\ndata_file_directories: [b, c]" | :2: key 'data_file_directories' is already in line 1
                    "data_file_directories: b\ndata_directory: a" | :2: key 'data_directory' is already in line 1, as 'data_file_directories' (expected: only one of the two)
                    "data_file_directories: []"                    | :1: [] (expected: one entry or more
                    "data_file_directories: ['']"                  | (expected: one entry or more, none of them empty
                    "data_file_directories: [[a]]"                 | :1: a sequence (expected: one value in each entry)
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
    void data_directories_are_one_or_a_list() throws IOException {
        assertThat(read("").node().dataFileDirectories())
                .containsExactly(Path.of("work/node1/data").toAbsolutePath());
        assertThat(read("data_file_directories: a, b\n").node().dataFileDirectories())
                .as("a comma is a letter")
                .containsExactly(Path.of("a, b").toAbsolutePath());
        assertThat(read("data_file_directories:\n  - /one\n  - two\n").node().dataFileDirectories())
                .containsExactly(Path.of("/one"), Path.of("two").toAbsolutePath());
    }

    @Test
    void the_older_name_of_the_data_directory_still_counts() throws IOException {
        assertThat(read("data_directory: one\n").node().dataFileDirectories())
                .containsExactly(Path.of("one").toAbsolutePath());
    }

    @Test
    void data_directories_are_written_as_they_are_read() throws IOException {
        Path written = temporary.resolve("written.yaml");

        read("data_directory: one\n").writeWith(Map.of("data_file_directories", "two, a\nthree"), written);

        assertThat(SluiceConfig.read(written).node().dataFileDirectories())
                .containsExactly(
                        Path.of("two, a").toAbsolutePath(), Path.of("three").toAbsolutePath());
    }

    @ParameterizedTest
    @CsvSource({"one, one", "one, one/../one", "one, one/two", "one/two, one"})
    void data_directories_within_one_another_are_refused(String first, String second) throws IOException {
        SluiceConfig config = read("data_file_directories: [" + first + ", " + second + "]\n");

        assertThatThrownBy(config::node)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("(expected: different folders, none within another)");
    }

    @Test
    void a_file_that_is_not_there_is_named() {
        assertThatThrownBy(() -> SluiceConfig.read(temporary.resolve("none.yaml")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("none.yaml: cannot be read");
    }
}
