package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.harness.agent.AgentSettings;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.report.ExitCode;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What an agent says of options with which it cannot start. */
class AgentCommandTest {
    @TempDir
    private Path folder = Path.of("");

    private static JmxOptions jmx(String... arguments) {
        return CommandLine.populateCommand(new JmxOptions(), arguments);
    }

    @Test
    void a_log_that_cannot_be_written_is_named_with_the_option() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "no folder");
        StringWriter err = new StringWriter();

        int code = Main.commandLine()
                .setErr(new PrintWriter(err))
                .execute(
                        "agent",
                        "--cassandra-yaml",
                        "none",
                        "--token-file",
                        file.resolve("agent.token").toString());

        assertThat(code).isEqualTo(ExitCode.FAILED.number());
        assertThat(err.toString())
                .contains("cannot write the log " + file.resolve("sluice-agent.log"))
                .contains("(expected: --log FILE, in a folder that the user of this process may write)");
    }

    @Test
    @Timeout(180)
    void an_agent_whose_token_others_may_read_says_so_and_ends() throws Exception {
        Path token = Files.writeString(folder.resolve("agent.token"), "7".repeat(64));
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));

        try (StartedProcess agent = StartedProcess.java(
                List.of(), Main.class, "agent", "--cassandra-yaml", yaml(), "--token-file", token)) {
            assertThat(agent.awaitExit(StartedProcess.TIMEOUT)).isEqualTo(ExitCode.FAILED.number());
            assertThat(agent.lines())
                    .contains("sluice: " + token + ": others may read it, so it is no secret (expected: mode 0600, by"
                            + " chmod 600; and another token for all who use this one, if somebody may have read it)");
        }
    }

    private static String row(CommandLine.Model.OptionSpec option) {
        String description = String.join(" ", option.description());
        return "| `" + (option.longestName() + " " + (option.arity().max() == 0 ? "" : option.paramLabel())).strip()
                + "` | " + description + (option.required() ? " Required." : "") + " |\n";
    }

    private Path yaml() throws IOException {
        return Files.writeString(
                folder.resolve("cassandra.yaml"),
                "listen_address: 127.0.0.1\ndata_file_directories: [" + folder.resolve("data") + "]\n");
    }

    @Test
    void an_agent_heeds_the_reads_of_its_node_unless_it_shall_not() throws Exception {
        String[] arguments = {
            "--cassandra-yaml",
            yaml().toString(),
            "--token-file",
            folder.resolve("token").toString(),
            "--ignore-reads"
        };

        assertThat(settings(Arrays.copyOf(arguments, arguments.length - 1)).isYielding())
                .isTrue();
        assertThat(settings(arguments).isYielding()).isFalse();
    }

    private static AgentSettings settings(String... arguments) throws IOException {
        return CommandLine.populateCommand(new AgentCommand(), arguments).settings(Optional.empty());
    }

    @Test
    void no_threads_for_digests_are_refused() throws Exception {
        Path yaml = yaml();
        StringWriter err = new StringWriter();

        int code = Main.commandLine()
                .setErr(new PrintWriter(err))
                .execute(
                        "agent",
                        "--cassandra-yaml",
                        yaml.toString(),
                        "--token-file",
                        folder.resolve("agent.token").toString(),
                        "--digest-threads",
                        "0");

        assertThat(code).as(err.toString()).isEqualTo(2);
        assertThat(err.toString()).contains("--digest-threads 0 (expected: at least 1)");
    }

    /** After a change of a declaration: node-harness/target/agent-options.md is what the page has to say. */
    @Test
    void the_page_has_a_row_for_each_declared_option() throws Exception {
        String table = "| option of `./sluice agent` | meaning |\n| --- | --- |\n"
                + CommandLine.Model.CommandSpec.forAnnotatedObject(new AgentCommand()).options().stream()
                        .filter(option -> !option.usageHelp() && !option.versionHelp())
                        .map(AgentCommandTest::row)
                        .collect(Collectors.joining());
        Files.writeString(Path.of("target", "agent-options.md"), table);

        assertThat(Files.readString(Path.of("..", "docs", "cassandra-replace.md")))
                .contains("\n\n" + table + "\n");
    }

    @Test
    void options_of_jmx_that_do_not_fit_together_are_refused() {
        assertThatThrownBy(() -> jmx("--jmx-truststore", "t.p12").target())
                .isInstanceOf(ConfigException.class)
                .hasMessage("--jmx-truststore: wants --jmx-tls beside it");
        assertThatThrownBy(() -> jmx("--jmx-tls", "--jmx-keystore", "k.p12").target())
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("--jmx-keystore: wants --jmx-truststore beside it");
        assertThatThrownBy(() -> jmx("--jmx-tls", "--jmx-truststore", "t.p12").target())
                .isInstanceOf(ConfigException.class)
                .hasMessage("--jmx-truststore: wants --jmx-truststore-password-file beside it");
        assertThatThrownBy(() -> jmx("--jmx-password-file", "p").target())
                .isInstanceOf(ConfigException.class)
                .hasMessage("--jmx-password-file: wants --jmx-user beside it");
        assertThatThrownBy(() -> jmx("--jmx-truststore-password-file", "p").target())
                .isInstanceOf(ConfigException.class)
                .hasMessage("--jmx-truststore-password-file: wants --jmx-truststore beside it");
        assertThatThrownBy(() -> jmx("--jmx-keystore-password-file", "p").target())
                .isInstanceOf(ConfigException.class)
                .hasMessage("--jmx-keystore-password-file: wants --jmx-keystore beside it");
        assertThatThrownBy(() -> jmx("--jmx-timeout", "0").target())
                .isInstanceOf(ConfigException.class)
                .hasMessage("--jmx-timeout 0 (expected: at least 1)");
    }
}
