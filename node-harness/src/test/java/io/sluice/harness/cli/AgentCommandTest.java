package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.harness.config.ConfigException;
import io.sluice.harness.report.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
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
        assertThatThrownBy(() -> jmx("--jmx-timeout", "0").target())
                .isInstanceOf(ConfigException.class)
                .hasMessage("--jmx-timeout 0 (expected: at least 1)");
    }
}
