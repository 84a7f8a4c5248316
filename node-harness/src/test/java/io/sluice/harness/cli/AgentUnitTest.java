package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The unit of systemd starts an agent that finds all that it writes to writable. */
class AgentUnitTest {
    private static final Path UNIT = Path.of("..", "conf", "systemd", "sluice-agent.service");
    private static final Path SCRIPT = Path.of("..", "sluice").toAbsolutePath().normalize();

    @TempDir
    private Path folder = Path.of("");

    /** Directives with their values, of all sections. */
    private static Map<String, List<String>> directives() throws IOException {
        Map<String, List<String>> directives = new HashMap<>();
        String text = Files.readString(UNIT).replace("\\\n", " ");
        text.lines()
                .filter(line -> !line.startsWith("#") && line.contains("="))
                .forEach(line -> directives
                        .computeIfAbsent(line.substring(0, line.indexOf('=')), key -> new ArrayList<>())
                        .add(line.substring(line.indexOf('=') + 1).strip()));
        return directives;
    }

    private static String one(String directive) throws IOException {
        assertThat(directives()).containsKey(directive);
        assertThat(directives().get(directive)).hasSize(1);
        return String.join("", directives().getOrDefault(directive, List.of()));
    }

    private static CommandLine.ParseResult parsed() throws IOException {
        List<String> words = List.of(one("ExecStart").split("\\s+"));
        assertThat(words.subList(0, 2)).containsExactly("/opt/sluice/sluice", "agent");
        return new CommandLine(new AgentCommand())
                .parseArgs(words.subList(2, words.size()).toArray(String[]::new));
    }

    private static Path option(String name) throws IOException {
        Path file = parsed().matchedOptionValue(name, Path.of(""));
        assertThat(file).isAbsolute();
        return file;
    }

    @Test
    void the_log_is_in_a_folder_that_systemd_makes_for_the_user() throws IOException {
        assertThat(option("--log").getParent()).isEqualTo(Path.of("/var/log", one("LogsDirectory")));
    }

    @Test
    void what_is_in_a_read_only_folder_is_there_before_the_start() throws IOException {
        assertThat(one("ProtectSystem")).isEqualTo("full");
        assertThat(option("--token-file")).startsWithRaw(Path.of("/etc")).isEqualTo(Path.of(one("AssertPathExists")));
        assertThat(option("--cassandra-yaml")).startsWithRaw(Path.of("/etc"));
        assertThat(option("--config")).startsWithRaw(Path.of("/etc"));
    }

    @Test
    void it_is_the_user_of_the_node_and_an_end_on_demand_is_no_failure() throws IOException {
        assertThat(one("User")).isEqualTo("cassandra");
        assertThat(one("Group")).isEqualTo("cassandra");
        assertThat(one("Restart")).isEqualTo("always");
        assertThat(one("SuccessExitStatus")).isEqualTo("143");
    }

    @Test
    void systemd_understands_it() throws Exception {
        Path program = Path.of("/usr/bin/systemd-analyze");
        assumeThat(program).isExecutable();
        Path copy = folder.resolve("sluice-agent.service");
        Files.writeString(copy, Files.readString(UNIT).replace("ExecStart=/opt/sluice/sluice", "ExecStart=" + SCRIPT));

        Process process = new ProcessBuilder(program.toString(), "verify", "--man=no", copy.toString())
                .redirectErrorStream(true)
                .start();

        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(said).doesNotContain("sluice-agent.service");
        assertThat(process.waitFor()).isZero();
    }
}
