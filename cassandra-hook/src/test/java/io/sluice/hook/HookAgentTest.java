package io.sluice.hook;

import static io.sluice.tools.StartedProcess.PATIENCE;
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

/** A process that cannot be held does not start, and says why in one line. */
class HookAgentTest {
    private static final Path CLASSES = Path.of("target", "classes");
    private static final Path MANIFEST = Path.of("META-INF", "MANIFEST.MF");

    @TempDir
    private Path folder = Path.of("");

    private record Ended(int code, List<String> output) {}

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
        try (StartedProcess process = StartedProcess.start(List.of(
                JavaCommand.executable(), "-javaagent:" + jar() + options, "-XX:TieredStopAtLevel=1", "-version"))) {
            return new Ended(process.awaitExit(PATIENCE), process.lines());
        }
    }

    @Test
    @Tag("full")
    void a_process_that_is_no_cassandra_does_not_start() throws Exception {
        Ended ended = run("");

        assertThat(ended.code()).isEqualTo(3);
        assertThat(ended.output())
                .singleElement()
                .asString()
                .startsWith(
                        "sluice hook: cannot hold this node, so it does not start: no class org.apache.cassandra.dht")
                .contains("(expected: Apache Cassandra 4.0, 4.1 or 5.0;");
    }

    @Test
    @Tag("full")
    void options_that_are_not_understood_stop_the_start() throws Exception {
        Ended ended = run("=agent_timeout=soon");

        assertThat(ended.code()).isEqualTo(3);
        assertThat(ended.output())
                .anyMatch(line ->
                        line.contains("options of the agent: agent_timeout=soon (expected: agent_timeout=120s"));
    }

    @Test
    void the_timeout_has_a_default_and_limits() {
        assertThat(AgentOptions.parse("").agentTimeoutMillis()).isEqualTo(120_000);
        assertThat(AgentOptions.parse("agent_timeout=5s").agentTimeoutNanos()).isEqualTo(5_000_000_000L);
        assertThatThrownBy(() -> AgentOptions.parse("agent_timeout=soon"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("agent_timeout=soon (expected: agent_timeout=120s");
        assertThatThrownBy(() -> AgentOptions.parse("agent_timeout=4s")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> AgentOptions.parse("agent_timeout=86401s"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void addresses_are_those_of_the_ring() {
        assertThat(CassandraRanges.address("/10.0.0.7:7000")).isEqualTo("10.0.0.7:7000");
        assertThat(CassandraRanges.address("host/10.0.0.7:7000")).isEqualTo("10.0.0.7:7000");
        assertThat(CassandraRanges.address("10.0.0.7:7000")).isEqualTo("10.0.0.7:7000");
    }
}
