package io.sluice.harness.cli.cassandra;

import static io.sluice.tools.StartedProcess.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.cli.Main;
import io.sluice.harness.json.Json;
import io.sluice.harness.replace.JoinOrder;
import io.sluice.harness.replace.JoinReport;
import io.sluice.tools.FreePort;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How commands end that bring a node its data, and what they leave for programs. */
@Timeout(300)
class JoinOptionsTest {
    @TempDir
    private Path temporary = Path.of("");

    private Path json = Path.of("");

    @BeforeEach
    void leaveAnEarlierReport() throws IOException {
        json = Files.writeString(temporary.resolve("report.json"), "of an earlier run");
    }

    private List<Object> words(String command, int cqlPort) throws IOException {
        Path token = temporary.resolve("token");
        AdminToken.create(token);
        return List.of(
                "cassandra",
                command,
                "--node",
                "10.0.0.4",
                "--cql",
                "127.0.0.1:" + cqlPort,
                "--agent",
                "127.0.0.1:" + FreePort.onLoopback(),
                "--token-file",
                token,
                "--json",
                json);
    }

    private static int run(List<Object> words) {
        return Main.commandLine().execute(words.stream().map(Object::toString).toArray(String[]::new));
    }

    private JsonNode report() throws IOException {
        return Json.MAPPER.readTree(json.toFile());
    }

    @Test
    void a_refusal_replaces_the_report_of_an_earlier_run() throws IOException {
        int code = run(words("rebuild", FreePort.onLoopback()));

        assertThat(code).isEqualTo(3);
        assertThat(report().get("command").asText()).isEqualTo("rebuild");
        assertThat(report().get("node").asText()).isEqualTo("10.0.0.4");
        assertThat(report().get("exitCode").asInt()).isEqualTo(3);
        assertThat(report().get("problem").asText()).contains("no CQL connection", "nothing was begun");
    }

    @Test
    void so_does_a_failure() throws IOException {
        Path token = temporary.resolve("token");
        AdminToken.create(token);
        String agent = "127.0.0.1:" + FreePort.onLoopback();

        int code = run(List.of(
                "cassandra",
                "bootstrap",
                "--node",
                "10.0.0.4",
                "--cql",
                "127.0.0.1",
                "--agent",
                agent,
                "--token-file",
                token,
                "--json",
                json,
                "--abort",
                "enough"));

        assertThat(code).isEqualTo(1);
        assertThat(report().get("exitCode").asInt()).isEqualTo(1);
        assertThat(report().get("problem").asText()).contains("no agent of 10.0.0.4 answers");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--agent 10.0.0.1",
                "--agent 10.0.0.1:7081 --token-file missing",
                "--agent 10.0.0.1:7081 --timeout 0",
                "--agent 10.0.0.1:7081 --from both"
            })
    void so_does_an_option_that_is_wrong(String wrong) throws IOException {
        Path token = temporary.resolve("token");
        AdminToken.create(token);
        List<Object> words =
                new ArrayList<>(List.of("cassandra", "bootstrap", "--node", "10.0.0.4", "--cql", "127.0.0.1"));
        words.addAll(List.of("--json", json));
        words.addAll(List.of(wrong.split(" ", -1)));
        if (!wrong.contains("--token-file")) {
            words.addAll(List.of("--token-file", token));
        }

        assertThat(run(words)).isEqualTo(2);

        assertThat(report().get("exitCode").asInt()).isEqualTo(2);
        assertThat(report().get("problem").asText()).contains(wrong.replaceAll(".*--", "--"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--rate", "--throttle", "--timeout"})
    void a_command_line_that_cannot_be_read_leaves_it(String option) throws IOException {
        List<Object> words = new ArrayList<>(words("rebuild", FreePort.onLoopback()));
        words.addAll(List.of(option, "x"));

        assertThat(run(words)).isEqualTo(2);

        assertThat(json).hasContent("of an earlier run");
    }

    @ParameterizedTest
    @CsvSource({
        "rebuild, 'at the agents, if they have begun (run it again'",
        "bootstrap, 'until its agent has had no order for its --coordinator-timeout, 15 minutes by default; then it goes"
                + " on by itself, and Cassandra streams, unverified, what is not marked (run it again'"
    })
    void who_cancels_is_told_what_goes_on_and_how_to_end_it(String command, String goesOn) throws Exception {
        Path errors = temporary.resolve("errors");
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                StartedProcess process = StartedProcess.start(new ProcessBuilder(JavaCommand.words(
                                List.of(),
                                Main.class.getName(),
                                words(command, silent.getLocalPort()).toArray()))
                        .redirectError(errors.toFile()));
                Socket connected = silent.accept()) {
            assertThat(connected.isConnected()).isTrue();

            process.signal("TERM"); // which ends a virtual machine as Ctrl-C does

            assertThat(process.awaitExit(TIMEOUT)).isEqualTo(5);
        }
        assertThat(Files.readString(errors)).contains("sluice: cancelled; snapshots stay", goesOn, "--abort REASON");
        assertThat(report().get("exitCode").asInt()).isEqualTo(5);
        assertThat(report().get("problem").asText()).startsWith("cancelled; ");
    }

    /** What listens there may be another service, as CQL. */
    @ParameterizedTest
    @ValueSource(strings = {"rebuild --node 10.0.0.4 --cql 127.0.0.1 --abort enough", "pause", "set-throughput 1MiB/s"})
    void while_no_agent_answers_a_line_says_so(String command) throws Exception {
        Path token = temporary.resolve("token");
        AdminToken.create(token);
        try (ServerSocket silent = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
            String agent = " --agent 127.0.0.1:" + silent.getLocalPort() + " --token-file " + token;
            Object[] words = ("cassandra " + command + agent).split(" ", -1);
            try (StartedProcess process = StartedProcess.java(List.of(), Main.class, words)) {
                assertThat(process.awaitLine(any -> true)).contains("answers of the agents");
            }
        }
    }

    @Test
    void a_report_is_beside_how_the_command_ended_with_seconds_as_a_number() throws IOException {
        JoinReport report = new JoinReport(
                new UUID(0, 1),
                JoinOrder.From.NEEDED,
                List.of(),
                Map.of("shop", "an index"),
                Map.of("logs", "12 of its ranges have no live replica"),
                List.of(),
                Optional.empty(),
                Optional.of(0L),
                Duration.ofMillis(7_200));

        new JoinDocument("replace-node", "10.0.0.4", 4, Optional.empty(), Optional.of(report)).write(json);

        assertThat(report().get("command").asText()).isEqualTo("replace-node");
        assertThat(report().get("leftToCassandra").get("shop").asText()).isEqualTo("an index");
        assertThat(report().get("missing").get("logs").asText()).startsWith("12 of its ranges");
        assertThat(report().get("heldSeconds").asDouble()).isEqualTo(7.2);
        assertThat(report().has("held")).isFalse();
    }
}
