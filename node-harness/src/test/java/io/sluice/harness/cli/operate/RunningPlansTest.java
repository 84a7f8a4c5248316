package io.sluice.harness.cli.operate;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.admin.FetchState;
import io.sluice.harness.admin.HoldStatus;
import io.sluice.harness.admin.NetStats;
import io.sluice.harness.admin.NodeInfo;
import io.sluice.harness.admin.Refusal;
import io.sluice.harness.cli.Main;
import io.sluice.harness.json.Json;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.tools.FreePort;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Orders to several nodes, of which one does not answer, or will not: the others have them all the same. */
class RunningPlansTest {
    private static final UUID PLAN = new UUID(7, 7);
    private static final String HELD = "address 10.0.0.9";

    @TempDir
    private Path folder = Path.of("");

    private final List<HttpServer> servers = new ArrayList<>();
    private Path tokenFile = Path.of("");

    private record Ended(int code, String out, String err) {}

    @BeforeEach
    void the_nodes_have_a_token() throws IOException {
        tokenFile = folder.resolve("token");
        AdminToken.create(tokenFile);
    }

    @AfterEach
    void stop() {
        servers.forEach(server -> server.stop(0));
    }

    /** The admin endpoint of a node that executes plans, and does what it is asked to unless it refuses. */
    private String node(String name, boolean refuses, UUID... plans) throws IOException {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        Address address = new Address("127.0.0.1", http.getAddress().getPort());
        NetStats stats = stats(new Node(UUID.randomUUID(), name, address, List.of(new Token(1))), plans);
        http.createContext("/netstats", exchange -> answer(exchange, 200, stats));
        http.createContext(
                "/",
                exchange ->
                        answer(exchange, refuses ? 409 : 200, refuses ? new Refusal("it is about to end") : "done"));
        http.start();
        servers.add(http);
        return address.toString();
    }

    private static void answer(HttpExchange exchange, int status, Object answer) throws IOException {
        try (exchange) {
            byte[] json = Json.MAPPER.writeValueAsBytes(answer);
            exchange.sendResponseHeaders(status, json.length);
            exchange.getResponseBody().write(json);
        }
    }

    private static NetStats stats(Node node, UUID... plans) {
        List<FetchState> fetches = new ArrayList<>();
        for (UUID plan : plans) {
            fetches.add(new FetchState(
                    plan,
                    Operation.REBUILD,
                    Operation.Priority.REBUILD,
                    FetchState.Phase.STREAMING,
                    List.of(),
                    1,
                    0,
                    Optional.empty(),
                    Optional.empty()));
        }
        NodeInfo status = new NodeInfo(node, "nio", NodeInfo.Mode.NORMAL, List.of(), List.of());
        return new NetStats(status, fetches, List.of(), 0, 0, List.of(new HoldStatus(HELD, 1, 60, "garbage")));
    }

    /** Where nobody listens. */
    private static String silent() throws IOException {
        return "127.0.0.1:" + FreePort.onLoopback();
    }

    private Ended run(List<String> command, String... hosts) {
        List<String> all = new ArrayList<>(command);
        for (String host : hosts) {
            all.addAll(List.of("--host", host));
        }
        all.addAll(List.of("--token-file", tokenFile.toString()));
        PrintStream standard = System.out;
        PrintStream errors = System.err;
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        int code;
        try (var printed = new PrintStream(out, true, StandardCharsets.UTF_8);
                var complained = new PrintStream(err, true, StandardCharsets.UTF_8)) {
            System.setOut(printed);
            System.setErr(complained);
            code = Main.commandLine()
                    .setErr(new PrintWriter(complained, true, StandardCharsets.UTF_8))
                    .execute(all.toArray(String[]::new));
        } finally {
            System.setOut(standard);
            System.setErr(errors);
        }
        return new Ended(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"cancel PLAN", "pause PLAN", "resume PLAN", "prioritize PLAN replace"})
    void a_node_that_does_not_answer_is_named(String command) throws IOException {
        String silent = silent();
        List<String> words = List.of(command.replace("PLAN", PLAN.toString()).split(" "));

        Ended ended = run(words, silent, node("node2", false, PLAN));

        assertThat(ended.out()).contains("plan " + PLAN + " on node2");
        assertThat(ended.err()).contains("sluice: " + silent + " does not answer: nobody listens at " + silent);
        assertThat(ended.code()).isEqualTo(1);
    }

    @Test
    void a_plan_may_run_on_the_node_that_does_not_answer() throws IOException {
        String silent = silent();

        Ended ended = run(List.of("cancel", PLAN.toString()), silent, node("node2", false));

        assertThat(ended.err())
                .contains("nobody listens at " + silent)
                .contains("no such plan is running on the nodes that answer")
                .doesNotContain("nothing is streamed now");
        assertThat(ended.code()).isEqualTo(1);
    }

    @Test
    void a_node_that_refuses_an_order_keeps_it_from_no_other() throws IOException {
        String refusing = node("node1", true, PLAN);

        Ended ended = run(List.of("pause", PLAN.toString()), refusing, node("node2", false, PLAN));

        assertThat(ended.out()).contains("paused plan " + PLAN + " on node2").doesNotContain("node1");
        assertThat(ended.err()).contains("sluice: " + refusing + ": it is about to end");
        assertThat(ended.code()).isEqualTo(1);
    }

    @Test
    void an_order_that_all_nodes_take_succeeds() throws IOException {
        Ended ended = run(List.of("cancel", "0000"), node("node1", false, PLAN), node("node2", false, PLAN));

        assertThat(ended.out().lines())
                .containsExactly("cancelled plan " + PLAN + " on node1", "cancelled plan " + PLAN + " on node2");
        assertThat(ended.err()).isEmpty();
        assertThat(ended.code()).isZero();
    }

    @Test
    void the_beginning_of_two_plans_is_refused_although_a_node_does_not_answer() throws IOException {
        Ended ended = run(List.of("cancel", "0000"), silent(), node("node2", false, PLAN, new UUID(8, 8)));

        assertThat(ended.err()).contains("that is the beginning of [").contains("nobody listens at ");
        assertThat(ended.out()).isEmpty();
        assertThat(ended.code()).isEqualTo(2);
    }

    @Test
    void a_hold_is_ended_where_it_can_be() throws IOException {
        Ended ended = run(List.of("clear-hold", HELD), silent(), node("node1", true), node("node2", false));

        assertThat(ended.out().lines()).containsExactly("cleared: " + HELD + " on node2");
        assertThat(ended.err()).contains("nobody listens at ").contains(": it is about to end");
        assertThat(ended.code()).isEqualTo(1);
    }

    @Test
    void a_node_that_does_not_answer_may_hold_a_peer() throws IOException {
        Ended ended = run(List.of("clear-hold", "address 10.0.0.8"), silent(), node("node2", false));

        assertThat(ended.err()).contains("nobody of that name is on hold at the nodes that answer");
        assertThat(ended.code()).isEqualTo(1);
    }
}
