package io.sluice.hook;

import static io.sluice.tools.StartedProcess.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that cannot be held does not start, and says why in one line. */
class HookAgentTest {
    private static final Path CLASSES = Path.of("target", "classes");
    private static final Path MANIFEST = Path.of("META-INF", "MANIFEST.MF");

    @TempDir
    private Path folder = Path.of("");

    private record Ended(int code, String output) {}

    private Path jar() throws IOException {
        Path jar = folder.resolve("hook.jar");
        try (InputStream manifest = Files.newInputStream(CLASSES.resolve(MANIFEST));
                JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), new Manifest(manifest));
                Stream<Path> tree = Files.walk(CLASSES.resolve("io"))) {
            for (Path file : tree.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(CLASSES.relativize(file).toString()));
                Files.copy(file, out);
                out.closeEntry();
            }
        }
        return jar;
    }

    private Ended run(String options) throws IOException, InterruptedException {
        return run(options, Files.createDirectories(folder.resolve("nothing")));
    }

    private Ended run(String options, Path classPath) throws IOException, InterruptedException {
        try (StartedProcess process = StartedProcess.start(List.of(
                JavaCommand.executable(),
                "-javaagent:" + jar() + options,
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath.toString(),
                "-version"))) {
            int code = process.awaitExit(TIMEOUT);
            return new Ended(code, String.join("\n", process.lines()));
        }
    }

    @Test
    @Tag("full")
    void a_process_that_is_no_cassandra_does_not_start() throws Exception {
        Ended ended = run("");

        assertThat(ended.code()).isEqualTo(3);
        assertThat(ended.output().lines())
                .singleElement()
                .asString()
                .startsWith(
                        "sluice hook: cannot hold this node, so it does not start: no class org.apache.cassandra.dht")
                .contains("(expected: Apache Cassandra 4.0, 4.1 or 5.0;");
    }

    private Ended run(FakeCassandra cassandra) throws IOException, InterruptedException {
        return run("", cassandra.into(Files.createDirectories(folder.resolve("cassandra"))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"4.0.17", "4.1.10", "5.0.9", "5.0.10-SNAPSHOT"})
    void a_cassandra_that_the_hook_was_made_for_starts(String release) throws Exception {
        Ended ended = run(new FakeCassandra().version("CassandraVersion=" + release + "\n"));

        assertThat(ended.output()).doesNotContain("sluice hook:");
        assertThat(ended.code()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"6.0-alpha2", "6.0.0", "3.11.19", "5.1.0", "5.0-beta1", "40.0.1"})
    void another_release_is_refused_by_name_although_it_has_all_members(String release) throws Exception {
        Ended ended = run(new FakeCassandra().version("CassandraVersion=" + release + "\n"));

        assertThat(ended.code()).isEqualTo(3);
        assertThat(ended.output().lines())
                .singleElement()
                .asString()
                .startsWith("sluice hook: cannot hold this node, so it does not start: this is Cassandra " + release
                        + " (expected: Apache Cassandra 4.0, 4.1 or 5.0;");
    }

    @Test
    void a_cassandra_that_does_not_say_its_release_does_not_start() throws Exception {
        Ended withoutFile = run(new FakeCassandra().version(""));
        Ended withoutKey = run(new FakeCassandra().version("Other=5.0.9\n"));

        assertThat(List.of(withoutFile.code(), withoutKey.code())).containsOnly(3);
        assertThat(withoutFile.output())
                .contains("does not start: no file org/apache/cassandra/config/version.properties (expected: Apache"
                        + " Cassandra 4.0, 4.1 or 5.0;");
        assertThat(withoutKey.output()).contains("does not start: no CassandraVersion in org/apache/cassandra/config/");
    }

    @ParameterizedTest
    @ValueSource(strings = {"toFetch", "description"})
    void a_field_that_the_hook_reads_later_is_missed_at_the_start(String field) throws Exception {
        Ended ended = run(new FakeCassandra().streamer(field, "renamed"));

        assertThat(ended.code()).isEqualTo(3);
        assertThat(ended.output())
                .contains(
                        "does not start: no field " + field + " in org.apache.cassandra.dht.RangeStreamer (expected:");
    }

    @Test
    @Tag("full")
    void options_that_are_not_understood_stop_the_start() throws Exception {
        Ended ended = run("=agent_timeout=soon");

        assertThat(ended.code()).isEqualTo(3);
        assertThat(ended.output()).contains("options of the hook: agent_timeout=soon (expected: agent_timeout=120s");
    }

    @Test
    void the_timeout_has_a_default_and_limits() {
        assertThat(HookOptions.parse("").agentTimeoutMillis()).isEqualTo(120_000);
        assertThat(HookOptions.parse("agent_timeout=5s").agentTimeoutNanos()).isEqualTo(5_000_000_000L);
        assertThatThrownBy(() -> HookOptions.parse("agent_timeout=soon"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("agent_timeout=soon (expected: agent_timeout=120s");
        assertThatThrownBy(() -> HookOptions.parse("agent_timeout=4s")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> HookOptions.parse("agent_timeout=86401s"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void the_guide_has_the_option_as_the_check_explains_it() throws IOException {
        assertThat(Files.readAllLines(Path.of("..", "docs", "cassandra-replace.md")))
                .anyMatch(line -> line.startsWith("| `" + HookOptions.EXPECTED.replaceFirst(", ", "` | ") + " | "));
    }

    @Test
    void addresses_are_those_of_the_ring() {
        assertThat(CassandraRanges.address("/10.0.0.7:7000")).isEqualTo("10.0.0.7:7000");
        assertThat(CassandraRanges.address("host/10.0.0.7:7000")).isEqualTo("10.0.0.7:7000");
        assertThat(CassandraRanges.address("10.0.0.7:7000")).isEqualTo("10.0.0.7:7000");
    }
}
