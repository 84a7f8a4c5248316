package io.sluice.harness.cli.operate;

import static io.sluice.tools.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.admin.FetchState;
import io.sluice.harness.admin.NetStats;
import io.sluice.harness.admin.RingTables;
import io.sluice.harness.admin.RingView;
import io.sluice.harness.cli.Main;
import io.sluice.harness.cluster.Cluster;
import io.sluice.harness.cluster.Endpoints;
import io.sluice.harness.cluster.Loopback;
import io.sluice.harness.cluster.NodeHome;
import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.content.TableFiles;
import io.sluice.harness.json.Json;
import io.sluice.harness.scenario.GeneratedData;
import io.sluice.harness.scenario.WorkDirectory;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Operators ask and tell real node processes; a slow fetch is going on between them. */
@Timeout(120)
@Tag("full")
class OperateTest {
    private static final SluiceConfig CONFIG = SluiceConfig.read(Path.of("..", "conf", "sluice.yaml"));
    private static final String SLOW = "256KiB/s";

    @TempDir
    private Path temporary = Path.of("");

    private Path work = Path.of("");
    private final List<AutoCloseable> opened = new ArrayList<>();
    private List<NodeProcess> nodes = List.of();
    private List<TableRef> tables = List.of();

    private record Ended(int code, String out, String err) {}

    @BeforeEach
    void start_a_node_with_data_and_an_empty_one() throws Exception {
        work = temporary.resolve("work");
        WorkDirectory folder = WorkDirectory.open(work);
        opened.add(folder);
        Node full = new Node(UUID.randomUUID(), "node1", Loopback.freeAddress(2), List.of(new Token(-5)));
        Node empty = new Node(UUID.randomUUID(), "node2", Loopback.freeAddress(3), List.of(new Token(5)));
        GeneratedData data = GeneratedData.of(folder, 8 << 20, new Ring(List.of(full), 1).ranges());
        data.generate();
        copy(data.directory(), NodeHome.of(work, full).data());
        NodeHome.of(work, empty).makeData(2);
        tables = TableFiles.openAll(data.directory()).stream()
                .map(TableFiles::table)
                .toList();
        Cluster cluster = new Cluster(work, CONFIG);
        opened.add(0, cluster);
        nodes = cluster.start(List.of(full, empty));
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable one : opened) {
            one.close();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> tree = Files.walk(from)) {
            for (Path file : tree.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                Files.createDirectories(target.getParent());
                if (Files.isRegularFile(file)) {
                    Files.copy(file, target);
                }
            }
        }
    }

    private Ended run(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--work-dir", work.toString()));
        return plainly(all);
    }

    private static Ended plainly(List<String> arguments) {
        StringWriter err = new StringWriter();
        PrintStream standard = System.out;
        var printed = new ByteArrayOutputStream();
        int code;
        try (var captured = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
            System.setOut(captured);
            code = Main.commandLine().setErr(new PrintWriter(err)).execute(arguments.toArray(String[]::new));
        } finally {
            System.setOut(standard);
        }
        return new Ended(code, printed.toString(StandardCharsets.UTF_8), err.toString());
    }

    /** The empty node begins to fetch all that the other has, slowly. */
    private UUID fetchSlowly() throws Exception {
        assertThat(run("set-throughput", SLOW).code()).isZero();
        NodeProcess empty = nodes.get(1);
        UUID plan = UUID.randomUUID();
        Ring ring = new Ring(nodes.stream().map(NodeProcess::node).toList(), 2);
        TopologyChange rebuild = new TopologyChange.Rebuild(
                List.of(empty.node()), io.sluice.sstable.token.TokenRanges.FULL, TopologyChange.SourceFilter.ANY);
        empty.admin().fetch(new AdminRequests.Fetch(plan, rebuild, List.of(new RingTables(RingView.of(ring), tables))));
        FetchState state = await().until(
                        () -> empty.admin().fetchState(plan),
                        now -> now.hasEnded()
                                || now.sessions().stream().anyMatch(session -> session.bytesReceived() > 0));
        assertThat(state.hasEnded()).as("%s", state).isFalse();
        return plan;
    }

    @Test
    void status_and_ring_show_the_nodes_of_the_run() {
        Ended status = run("status");
        Ended ring = run("ring");

        assertThat(status.code()).as(status.err()).isZero();
        assertThat(status.out().lines().filter(line -> line.strip().startsWith("UN")))
                .hasSize(2);
        assertThat(status.out()).contains("node1").contains("datacenter1").contains("rack1");
        assertThat(status.out())
                .as("of the node that has several volumes")
                .containsPattern("node2 +\\S+data1/.sluice-staging +\\S+ [KMGT]iB +0 B .* good")
                .containsPattern("node2 +\\S+data2/.sluice-staging .* good")
                .doesNotContainPattern("node1 +\\S+.sluice-staging");
        assertThat(ring.out()).contains("node2").contains("owns").contains(" 5");
    }

    @Test
    void netstats_shows_rate_time_left_and_what_is_waited_for() throws Exception {
        UUID plan = fetchSlowly();

        Ended text = run("netstats");
        Ended json = run("netstats", "--json");

        assertThat(text.out())
                .contains("rebuild, plan " + plan)
                .contains("sends at most 256 KiB/s")
                .contains("STREAMING")
                .contains(" s left")
                .containsPattern("bytes, \\d+ s \\(deadline: 120 s\\)")
                .containsPattern(
                        "sends\\R +to +plan .*\\R +node2 +" + plan.toString().substring(0, 8) + " +STREAMING");
        assertThat(Json.MAPPER.readTree(json.out()).at("/nodes/0/sends/0/to").asText())
                .isEqualTo("node2");
        assertThat(Json.MAPPER
                        .readTree(json.out())
                        .at("/nodes/0/sends/0/waitsFor")
                        .asText())
                .contains("deadline");
        assertThat(Json.MAPPER
                        .readTree(json.out())
                        .at("/nodes/1/fetches/0/bytesPerSecond")
                        .asDouble())
                .isPositive();
        assertThat(Json.MAPPER.readTree(json.out()).at("/nodes/1/fetches/0/id").asText())
                .isEqualTo(plan.toString());
    }

    @Test
    void progress_is_told_while_a_file_arrives_not_only_when_it_has() throws Exception {
        UUID plan = fetchSlowly();
        Set<Long> told = new TreeSet<>();

        FetchState state = nodes.get(1).admin().fetchState(plan);
        int files = state.sessions().get(0).filesTotal();
        while (told.size() <= 2 * files) {
            assertThat(state.hasEnded()).as("after %s", told).isFalse();
            long bytes = state.sessions().get(0).bytesReceived();
            assertThat(told).allMatch(earlier -> earlier <= bytes);
            told.add(bytes);
            state = nodes.get(1).admin().fetchState(plan);
        }
    }

    @Test
    void a_cancelled_plan_ends_and_says_so() throws Exception {
        UUID plan = fetchSlowly();

        Ended cancelled = run("cancel", plan.toString().substring(0, 8));

        assertThat(cancelled.code()).as(cancelled.err()).isZero();
        assertThat(cancelled.out()).contains("cancelled plan " + plan + " on node2");
        FetchState state = await().until(() -> nodes.get(1).admin().fetchState(plan), FetchState::hasEnded);
        assertThat(state.result().orElseThrow().tables())
                .allSatisfy(table -> assertThat(table.reason()).contains("cancelled by an operator"));
        assertThat(run("netstats", "--all").out()).contains("failed:").contains("cancelled by an operator");
    }

    @Test
    void a_plan_is_paused_says_so_and_goes_on_when_it_is_resumed() throws Exception {
        UUID plan = fetchSlowly();
        String begin = plan.toString().substring(0, 8);

        Ended paused = run("pause", begin);

        assertThat(paused.code()).as(paused.err()).isZero();
        assertThat(paused.out()).contains("paused plan " + plan + " on node2");
        assertThat(run("netstats").out())
                .contains("an operator to resume the plan")
                .contains("plan " + plan + ", priority rebuild: ");
        assertThat(run("prioritize", begin, "replace").out()).contains("priority replace: plan " + plan + " on node2");
        assertThat(run("netstats").out()).contains("plan " + plan + ", priority replace: ");
        Ended unknown = run("prioritize", begin, "soon");
        assertThat(unknown.code()).isEqualTo(2);
        assertThat(unknown.err()).contains("'soon' (expected: repair, rebalance, rebuild, replace)");
        assertThat(run("resume", begin).out()).contains("resumed plan " + plan + " on node2");
        assertThat(run("set-throughput", "0").code()).isZero();
        FetchState state = await().until(() -> nodes.get(1).admin().fetchState(plan), FetchState::hasEnded);
        assertThat(state.result().orElseThrow().isComplete()).isTrue();
    }

    @Test
    void a_peer_on_hold_is_shown_and_let_in_again_and_both_are_audited() throws Exception {
        Address port = nodes.get(0).node().address();
        for (int i = 0; i < 3; i++) {
            try (Socket hostile = new Socket()) {
                hostile.bind(new InetSocketAddress("127.3.3.3", 0));
                hostile.connect(new InetSocketAddress(port.host(), port.port()));
                hostile.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));
                assertThat(hostile.getInputStream().read()).isNegative();
            } catch (SocketException reset) {
                assertThat(reset).hasMessageContaining("reset");
            }
        }
        await().until(() -> !nodes.get(0).admin().netStats().holds().isEmpty());

        assertThat(run("netstats").out()).contains("on hold for ").contains("address 127.3.3.3");
        Ended cleared = run("clear-hold", "address", "127.3.3.3");
        assertThat(cleared.code()).as(cleared.err()).isZero();
        assertThat(cleared.out()).contains("cleared: address 127.3.3.3 on node1");
        assertThat(run("clear-hold", "address 127.3.3.3").code()).isEqualTo(2);
        assertThat(run("clear-hold", "address 127.3.3.3").err()).contains("nobody of that name is on hold");

        Path audit = NodeHome.of(work, nodes.get(0).node()).logs().resolve("audit.log");
        assertThat(Files.readString(audit))
                .contains("event=put-on-hold address=127.3.3.3 seconds=60")
                .contains("event=administered who=\"admin token\" order=\"POST /clear-hold ");
    }

    @Test
    void a_plan_that_is_not_running_cannot_be_cancelled() {
        Ended cancelled = run("cancel", "1234");

        assertThat(cancelled.code()).isEqualTo(2);
        assertThat(cancelled.err()).contains("no such plan is running").contains("nothing is streamed now");
    }

    @Test
    void a_limit_is_set_on_the_node_that_is_named() throws Exception {
        String host = nodes.get(0).admin().address().toString();

        Ended ended = plainly(List.of(
                "set-throughput",
                "24MiB/s",
                "--host",
                host,
                "--token-file",
                AdminToken.file(work).toString()));

        assertThat(ended.out()).contains("node1: entire_sstable_stream_throughput_outbound is 24.0 MiB/s");
        NetStats told = nodes.get(0).admin().netStats();
        NetStats other = nodes.get(1).admin().netStats();
        assertThat(told.outboundBytesPerSecond()).isEqualTo(24L << 20);
        assertThat(other.outboundBytesPerSecond()).isZero();
    }

    @Test
    void a_node_that_fetches_what_it_will_own_is_shown_as_joining() throws Exception {
        fetchSlowly();

        assertThat(run("status").out()).containsPattern("UN +node1").containsPattern("UJ +node2");
    }

    @Test
    void a_dead_node_is_shown_as_down() throws Exception {
        nodes.get(1).kill();

        assertThat(run("status").out())
                .containsPattern("DN +node2")
                .contains("node2 does not answer: nobody listens at 127.0.0.");
    }

    @Test
    void a_host_that_nobody_knows_is_said_once() {
        Ended ended = plainly(List.of(
                "status",
                "--host",
                "nowhere.invalid:7080",
                "--token-file",
                AdminToken.file(work).toString()));

        assertThat(ended.err())
                .contains("nowhere.invalid:7080 is not known: no host is called nowhere.invalid")
                .doesNotContain("does not answer");
    }

    @Test
    void a_folder_without_a_run_is_refused_in_one_sentence() throws Exception {
        Files.delete(Endpoints.file(work));

        Ended ended = run("status");

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.err().lines())
                .containsExactly("sluice: --work-dir " + work
                        + ": no run is going on there (expected: the work directory of one, or --host HOST:PORT)");
    }
}
