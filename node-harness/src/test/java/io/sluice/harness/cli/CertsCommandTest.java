package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.report.ExitCode;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What certificates are made of, and what of a wrong command: nothing. */
class CertsCommandTest {
    @TempDir
    private Path folder = Path.of("");

    private record Ended(int code, String err) {}

    private Ended certs(String nodes) {
        List<String> words =
                new ArrayList<>(List.of("certs", "--to", folder.resolve("tls").toString()));
        words.addAll(List.of(nodes.split(" ")));
        StringWriter err = new StringWriter();
        int code = Main.commandLine().setErr(new PrintWriter(err)).execute(words.toArray(String[]::new));
        return new Ended(code, err.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "a=10.0.0.1 b=bad..name, b=bad..name",
        "a=10.0.0.1 b=10.0.0, b=10.0.0",
        "a=10.0.0.1 b=fe80::1%eth0, b=fe80::1%eth0",
        "a=10.0.0.1 node1=, node1=",
        "a=10.0.0.1 node1, node1",
        "node1=10.0.0.1 node1=10.0.0.2, node1=10.0.0.2: a second node1",
        "a=10.0.0.1 ../x=10.0.0.1, ../x=10.0.0.1",
        "a=10.0.0.1 .=10.0.0.1, .=10.0.0.1",
        "trust=10.0.0.1, trust=10.0.0.1",
        "a=10.0.0.1 =10.0.0.1, =10.0.0.1"
    })
    void a_wrong_node_is_refused_before_any_file_is_made(String nodes, String named) {
        Ended ended = certs(nodes);

        assertThat(ended.code()).as(ended.err()).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(ended.err()).startsWith("sluice: " + named).contains("(expected: ");
        assertThat(folder).isEmptyDirectory();
    }

    /** A node may be started in another folder than this command. */
    @Test
    void what_is_for_a_node_names_its_files_from_the_root() throws Exception {
        Path relative = Path.of("").toRealPath().relativize(folder.toRealPath()).resolve("tls");

        List<String> lines = StartedProcess.run(
                JavaCommand.words(List.of(), Main.class.getName(), "certs", "--to", relative, "a=10.0.0.1"));

        Path tls = folder.resolve("tls").toRealPath();
        assertThat(lines)
                .contains(
                        "tls_certificate: " + tls.resolve("a.crt"),
                        "tls_key: " + tls.resolve("a.key"),
                        "tls_trust: " + tls.resolve("trust.crt"));
    }

    @Test
    void each_node_gets_its_files_at_any_address() {
        assertThat(certs("node-1=10.0.0.1 Node_2.x=db.example.com c=2001:db8::1 d=::ffff:10.0.0.4 e=localhost")
                        .code())
                .isZero();

        assertThat(folder.resolve("tls"))
                .isDirectoryContaining("glob:**/node-1.key")
                .isDirectoryContaining("glob:**/Node_2.x.crt")
                .isDirectoryContaining("glob:**/{c,d,e}.crt")
                .isDirectoryContaining("glob:**/trust.crt");
    }
}
