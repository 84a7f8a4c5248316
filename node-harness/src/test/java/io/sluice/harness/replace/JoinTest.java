package io.sluice.harness.replace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.harness.agent.AgentClient;
import io.sluice.harness.agent.AgentMessages.Arrivals;
import io.sluice.harness.agent.AgentMessages.Hook;
import io.sluice.harness.agent.AgentMessages.Imported;
import io.sluice.harness.agent.AgentMessages.Landed;
import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.harness.agent.AgentMessages.Proof;
import io.sluice.harness.agent.AgentMessages.Rebuild;
import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.harness.agent.AgentMessages.Sizes;
import io.sluice.harness.agent.HookState;
import io.sluice.harness.json.Json;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.store.TableRef;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a coordinator does with a node that waits, or has gone on already. Long because each step has its failures here.
 */
class JoinTest {
    private static final String SOURCE = "10.0.0.1:7000";
    private static final String OTHER = "10.0.0.2:7000";
    private static final String TARGET = "10.0.0.4:7000";
    private static final UUID HOLD = new UUID(7, 7);
    private static final String END = "/end {\"operation\":\"" + HOLD + "\"}";

    private Optional<Long> throttle = Optional.empty();

    private static final TableRef USERS = new TableRef(new UUID(3, 3), "shop", "users");
    private static final TableRef CARTS = new TableRef(new UUID(4, 4), "shop", "carts");
    private static final TableRef LOGS = new TableRef(new UUID(6, 6), "web", "logs");
    private static final Replicas REPLICAS =
            new Replicas(Map.of("(0,50]", List.of(SOURCE, FakeAgent.DEAD)), Map.of("(0,50]", List.of(TARGET)));
    private static final TablesNow PLAIN = TablesNow.none();
    private static final TablesNow CAPTURED = new TablesNow(Map.of("shop", "shop.users has cdc"), Map.of());
    private static final String REMOVED = "snapshots, and what was received and not imported, are removed";

    private final List<String> screen = new CopyOnWriteArrayList<>();
    private final JoinProgress progress = new JoinProgress(screen::add);
    private FakeAgent source;
    private FakeAgent target;

    @BeforeEach
    void start() throws IOException {
        source = new FakeAgent(SOURCE);
        target = new FakeAgent(TARGET);
    }

    @AfterEach
    void stop() throws IOException {
        source.close();
        target.close();
    }

    private Join join(Duration timeout, Map<String, String> leftBySchema) {
        return join(timeout, leftBySchema, List.of(source.client(), target.client()));
    }

    private Join join(List<AgentClient> agents) {
        return join(Duration.ofSeconds(1), Map.of(), agents);
    }

    private Join join(Duration timeout, Map<String, String> leftBySchema, List<AgentClient> agents) {
        return join(timeout, agents, () -> new TablesNow(leftBySchema, Map.of()));
    }

    private Join join(Duration timeout, List<AgentClient> agents, TablesNow.Source tables) {
        JoinOrder order = new JoinOrder(
                Operation.REPLACE, Optional.of("10.0.0.3"), "10.0.0.4", JoinOrder.From.ALL_REPLICAS, timeout, throttle);
        return new Join(order, new Members(agents), tables, progress);
    }

    private static Hook hook(String state, String reason) {
        Map<String, List<String>> planned = Map.of(SOURCE, List.of("(0,50]", "(50,0]"));
        return new Hook(
                HookState.valueOf(state),
                state.equals("IDLE") ? "" : HOLD.toString(),
                "Replace",
                5_000,
                reason,
                Map.of("logs", planned, "shop", planned, "users", planned),
                Map.of("shop", List.of("(0,50]", "(50,0]"), "users", List.of("(0,50]")));
    }

    @Test
    void a_node_that_has_gone_on_is_awaited_and_cleared_up_after() throws Exception {
        target.hook(hook("LET_GO", "released by the agent"));
        target.modes("JOINING", "JOINING", "JOINING", "NORMAL");

        JoinReport report = join(Duration.ofSeconds(30), Map.of("logs", "logs.events has an index"))
                .run();

        assertThat(target.orders()).containsExactly("/discard", "/clear-marks \"\"");
        assertThat(source.orders()).containsExactly(END);
        assertThat(report.operation()).isEqualTo(HOLD);
        assertThat(report.transfers()).isEmpty();
        assertThat(report.leftToCassandra())
                .isEqualTo(Map.of(
                        "logs",
                        "logs.events has an index",
                        "users",
                        "the node went on before all of its ranges were marked: released by the agent"));
        assertThat(screen)
                .containsExactly(
                        "node " + TARGET
                                + " has gone on already: released by the agent. Nothing more is brought; waiting"
                                + " for it to have joined",
                        "node " + TARGET + " is NORMAL");
    }

    @Test
    void the_report_of_a_run_that_brought_nothing_does_not_say_verified() throws Exception {
        target.streamedBytes(2_048);
        target.hook(hook("LET_GO", "released by the agent"));
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        JoinReport report = join(Duration.ofSeconds(30), Map.of()).run();
        report.print(new PrintStream(out, true, StandardCharsets.UTF_8));

        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualToNormalizingNewlines("""
                        nothing was brought
                        left to Cassandra: keyspace logs, since the node went on before all of its ranges were marked: released by the agent
                        left to Cassandra: keyspace users, since the node went on before all of its ranges were marked: released by the agent
                        tables truncated meanwhile: unknown, since an earlier run has brought what the node has, and nobody asked since (truncate again what was truncated while the node joined)
                        Cassandra itself streamed 2.00 KiB, which nothing has verified
                        """);
        assertThat(report.isVerified()).isFalse();
    }

    private static String text(JoinReport report) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        report.print(new PrintStream(out, true, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void the_report_says_what_each_source_gave_and_that_all_is_verified() throws Exception {
        waitingFor(USERS, CARTS);

        JoinReport report = join(Duration.ofSeconds(30), Map.of()).run();

        assertThat(report.isVerified()).isTrue();
        assertThat(text(report).lines())
                .containsSubsequence(
                        "  source         tables  SSTables  bytes  ranges with equal digests",
                        "  10.0.0.1:7000  2       4         400 B  2",
                        "Cassandra itself streamed nothing",
                        "VERIFIED: 400 B, all that the node has received, with equal digests in 2 ranges of tables");
    }

    @Test
    void a_keyspace_that_the_dead_node_alone_had_is_named_and_nothing_is_called_verified() throws Exception {
        waitingFor(USERS, LOGS);
        Replicas deadAlone =
                new Replicas(Map.of("(0,50]", List.of(FakeAgent.DEAD), "(50,0]", List.of(SOURCE)), Map.of());
        source.answer("/replicas", asked -> asked.get("keyspace").asText().equals("web") ? deadAlone : REPLICAS);

        JoinReport report = join(Duration.ofSeconds(30), Map.of()).run();

        String reason = "1 of its ranges have no live replica, as (0,50]: what the dead node alone had is lost, unless"
                + " a backup has it";
        assertThat(report.missing()).isEqualTo(Map.of("web", reason));
        assertThat(report.leftToCassandra()).isEmpty();
        assertThat(report.transfers()).hasSize(1);
        assertThat(report.isVerified()).isFalse();
        assertThat(report.isWhole()).as("else it would end with 0").isFalse();
        assertThat(screen).contains("missing: keyspace web, " + reason);
        assertThat(text(report)).contains("missing: keyspace web, " + reason).doesNotContain("VERIFIED");
    }

    /** Where it was brought from is gone, or only its agent: that takes away nothing of what the node has. */
    @Test
    void what_a_node_that_has_gone_on_was_brought_is_not_missing_where_its_source_is_gone() throws Exception {
        target.hook(broughtFrom(OTHER, HookState.LET_GO));
        Replicas joined = new Replicas(Map.of("(0,25]", List.of(TARGET, OTHER), "(25,50]", List.of(OTHER)), Map.of());
        source.data(Map.of(USERS, 300L), joined);
        target.data(Map.of(USERS, 300L), joined);

        JoinReport report = join(Duration.ofSeconds(30), Map.of()).run();
        JoinReport ofTargetAlone =
                join(Duration.ofSeconds(30), Map.of(), List.of(target.client())).run();

        assertThat(report.missing()).isEmpty();
        assertThat(ofTargetAlone.missing()).isEmpty();
    }

    @Test
    void what_an_earlier_run_has_marked_is_not_missing_where_its_source_has_died_since() throws Exception {
        target.hook(broughtFrom(OTHER, HookState.HOLDING));
        target.modes("JOINING", "JOINING", "JOINING", "NORMAL");
        source.ring(new FakeAgent.Ring("s1", List.of(SOURCE), List.of(OTHER, FakeAgent.DEAD), List.of()));
        source.answer("/pin", order -> pinned(order, "nb"));
        source.data(
                Map.of(USERS, 300L),
                new Replicas(Map.of("(0,50]", List.of(OTHER, FakeAgent.DEAD)), Map.of("(0,50]", List.of(TARGET))));

        JoinReport report = join(Duration.ofSeconds(30), Map.of()).run();

        assertThat(screen).contains("keyspace shop is marked already");
        assertThat(report.missing()).isEmpty();
        assertThat(report.isWhole()).as("else it would end with 4").isTrue();
    }

    @Test
    void what_the_dead_node_alone_had_is_named_also_by_a_node_whose_agent_alone_answers() throws Exception {
        target.hook(broughtFrom(OTHER, HookState.LET_GO));
        target.data(
                Map.of(USERS, 300L),
                new Replicas(Map.of("(0,50]", List.of(TARGET, OTHER), "(50,60]", List.of(TARGET)), Map.of()));

        JoinReport report =
                join(Duration.ofSeconds(30), Map.of(), List.of(target.client())).run();

        assertThat(report.missing())
                .isEqualTo(Map.of(
                        "shop",
                        "1 of its ranges have no live replica, as (50,60]: what the dead node alone had is lost, unless"
                                + " a backup has it"));
    }

    /** All of keyspace shop that {@code from} has is planned, and marked. */
    private static Hook broughtFrom(String from, HookState state) {
        return new Hook(
                state,
                HOLD.toString(),
                "Replace",
                5_000,
                "released by the agent",
                Map.of("shop", Map.of(from, List.of("(0,50]"))),
                Map.of("shop", List.of("(0,50]")));
    }

    @Test
    void the_word_of_a_node_of_another_cluster_is_not_taken_about_tables() {
        waitingFor(USERS);

        assertThatThrownBy(() -> join(
                                Duration.ofSeconds(30), List.of(source.client(), target.client()), at("10.9.0.1:7000"))
                        .run())
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(
                        "node 10.9.0.1:7000, which --cql names, is none of the ring of the agents: " + SOURCE + ", "
                                + FakeAgent.DEAD + ", " + TARGET + " (expected: --cql and --agent of one cluster)");
        assertThat(source.orders()).isEmpty();
        assertThat(target.orders()).isEmpty();
    }

    @Test
    void a_node_that_the_ring_knows_is_asked_about_tables_also_without_an_agent_that_answers() throws Exception {
        waitingFor(USERS);

        assertThat(join(Duration.ofSeconds(30), List.of(source.client(), target.client()), at(FakeAgent.DEAD))
                        .run()
                        .isVerified())
                .isTrue();
    }

    @Test
    void the_word_of_a_node_of_another_cluster_is_not_taken_when_a_node_has_gone_on() {
        target.hook(hook("LET_GO", "released by the agent"));

        assertThatThrownBy(() -> join(
                                Duration.ofSeconds(30), List.of(source.client(), target.client()), at("10.9.0.1:7000"))
                        .run())
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("node 10.9.0.1:7000, which --cql names, is none of the ring");
        assertThat(target.orders()).isEmpty();
    }

    /** Asked at this node. */
    private static TablesNow.Source at(String endpoint) {
        return new TablesNow.Source() {
            @Override
            public TablesNow ask() {
                return PLAIN;
            }

            @Override
            public Optional<String> endpoint() {
                return Optional.of(endpoint);
            }
        };
    }

    @Test
    void tasks_and_other_orders_of_a_run_are_of_one_coordinator() throws Exception {
        waitingFor(USERS);
        AgentClient client = target.client();

        join(Duration.ofSeconds(30), Map.of(), List.of(source.client(), client)).run();

        assertThat(of("/import", target))
                .singleElement()
                .asString()
                .contains(client.coordinator().toString());
    }

    @Test
    void what_cassandra_has_streamed_is_not_verified() throws Exception {
        waitingFor(USERS);
        target.streamedBytes(1);

        JoinReport report = join(Duration.ofSeconds(30), Map.of()).run();

        assertThat(text(report))
                .contains("Cassandra itself streamed 1 B, which nothing has verified")
                .doesNotContain("VERIFIED");
    }

    @Test
    void what_an_earlier_run_has_imported_is_in_the_report() throws Exception {
        waitingFor(USERS);
        Proof proof = new Proof(new UUID(9, 9), SOURCE, 1, 0, 3, 300, 2, 200, "d1");
        target.answer(
                "/arrivals",
                nothing -> new Arrivals(
                        List.of(),
                        List.of(new Landed(
                                new UUID(9, 9), new UUID(1, 1), CARTS, TokenRanges.FULL, 200, Optional.of(proof)))));

        JoinReport report = join(Duration.ofSeconds(30), Map.of()).run();

        assertThat(report.transfers())
                .extracting(JoinReport.Transfer::table)
                .containsExactly("shop.users", "shop.carts");
    }

    @Test
    void a_node_that_does_not_join_keeps_its_marks_and_the_snapshots() {
        target.hook(hook("LET_GO", "no agent has called for 120 s"));
        target.modes("JOINING");

        assertThatThrownBy(() -> join(Duration.ofSeconds(1), Map.of()).run())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("run again when it has joined");
        assertThat(target.orders()).doesNotContain("/clear-marks \"\"");
        assertThat(source.orders()).isEmpty();
    }

    /** A node that waits for one keyspace with one table, and a source that has it, too. */
    private void waitingFor(TableRef... tables) {
        Map<String, List<String>> planned = Map.of(SOURCE, List.of("(0,50]"));
        target.hook(new Hook(
                HookState.HOLDING, HOLD.toString(), "Bootstrap", 5_000, "", Map.of("shop", planned), Map.of()));
        source.tables(tables);
        target.tables(tables);
        source.answer("/replicas", nothing -> REPLICAS);
        source.answer("/pin", order -> pinned(order, "nb"));
        source.answer("/pinned-digests", order -> TransfersTest.digests(order, 3, 300));
        source.answer("/pinned-stored", order -> TransfersTest.stored(order, 3, 300));
        target.answer("/fetch/", nothing -> TransfersTest.progress(TransfersTest.complete()));
        target.answer("/landed-stored", order -> TransfersTest.stored(order, 2, 200));
        target.answer("/import", nothing -> new Imported(2, 200));
    }

    private static List<Pinned> pinned(JsonNode order, String version) {
        List<Pinned> pinned = new ArrayList<>();
        for (JsonNode table : order.get("tables")) {
            pinned.add(new Pinned(Json.MAPPER.convertValue(table, TableRef.class), 3, 300, List.of(version), false));
        }
        return pinned;
    }

    private static List<String> of(String path, FakeAgent agent) {
        return agent.orders().stream().filter(order -> order.startsWith(path)).toList();
    }

    @Test
    void what_is_verified_is_marked_and_what_is_left_of_attempts_is_removed() throws Exception {
        waitingFor(USERS);

        JoinReport report = join(Duration.ofSeconds(30), Map.of()).run();

        assertThat(report.leftToCassandra()).isEmpty();
        assertThat(report.transfers()).hasSize(1);
        assertThat(of("/mark", target)).hasSize(1);
        assertThat(target.orders().stream().map(order -> order.replaceAll(" .*", "")))
                .containsExactly("/discard", "/fetch", "/import", "/mark", "/let-go", "/discard", "/clear-marks");
        assertThat(source.orders()).last().isEqualTo(END);
    }

    @Test
    void a_join_whose_marks_cannot_be_cleared_has_its_report() throws Exception {
        waitingFor(USERS);
        target.refuse("/clear-marks");

        JoinReport report = join(Duration.ofSeconds(30), Map.of()).run();

        assertThat(report.isVerified()).isTrue();
        assertThat(of("/end", source)).hasSize(1);
        assertThat(screen)
                .anyMatch(line -> line.startsWith("the node has its data, and marks of its ranges stay at " + TARGET));
    }

    @Test
    void what_a_snapshot_flushes_is_to_be_brought_too() throws Exception {
        waitingFor(USERS);
        AtomicLong flushed = new AtomicLong();
        source.answer("/sizes", nothing -> new Sizes(Map.of("users", flushed.get())));
        source.answer("/pin", order -> {
            flushed.set(300);
            return pinned(order, "nb");
        });
        List<String> tables = new ArrayList<>();
        target.answer("/fetch/", nothing -> {
            tables.addAll(progress.details());
            return TransfersTest.progress(TransfersTest.complete());
        });

        join(Duration.ofSeconds(30), Map.of()).run();

        assertThat(tables).anyMatch(line -> line.contains(SOURCE) && line.contains("0 B of 300 B (0 %)"));
    }

    @Test
    void a_limit_is_set_before_anything_is_fetched() throws Exception {
        waitingFor(USERS);
        throttle = Optional.of(5_000L);

        join(Duration.ofSeconds(30), Map.of()).run();

        assertThat(target.orders().stream().limit(3).map(order -> order.replaceAll(" .*", "")))
                .containsExactly("/discard", "/throughput", "/fetch");
        assertThat(of("/throughput", target))
                .containsExactly("/throughput {\"operation\":\"" + HOLD + "\",\"bytesPerSecond\":5000}");
    }

    @Test
    void a_join_is_done_even_if_what_was_received_stays() throws Exception {
        target.hook(hook("LET_GO", "released by the agent"));
        target.refuse("/discard");

        join(Duration.ofSeconds(30), Map.of()).run();

        assertThat(screen)
                .anyMatch(line -> line.startsWith(
                        "the node has its data, and what was received and not imported stays at " + TARGET));
        assertThat(target.orders()).contains("/clear-marks \"\"");
    }

    @Test
    void a_table_that_is_created_while_others_learn_of_the_node_is_pinned() throws Exception {
        waitingFor(USERS);
        source.answer("/replicas", nothing -> {
            source.tables(USERS, CARTS);
            target.tables(USERS, CARTS);
            return REPLICAS;
        });

        join(Duration.ofSeconds(30), Map.of()).run();

        assertThat(of("/pin ", source)).singleElement().asString().contains("\"users\"", "\"carts\"");
        assertThat(of("/import", target)).hasSize(2);
        assertThat(of("/mark", target)).hasSize(1);
    }

    @Test
    void a_keyspace_with_a_table_that_was_created_after_the_pins_is_not_marked() throws Exception {
        waitingFor(USERS);
        target.answer("/import", nothing -> {
            source.tables(USERS, CARTS);
            return new Imported(2, 200);
        });

        JoinReport report = join(Duration.ofSeconds(30), Map.of()).run();

        assertThat(of("/mark", target)).isEmpty();
        assertThat(report.leftToCassandra())
                .isEqualTo(Map.of(
                        "shop",
                        "its tables have changed at " + SOURCE + " since they were pinned: shop.carts created"));
        assertThat(screen).anyMatch(line -> line.startsWith("keyspace shop is left to Cassandra: its tables"));
    }

    @Test
    void a_keyspace_with_a_table_that_was_dropped_at_the_node_is_not_marked() throws Exception {
        waitingFor(USERS);
        target.answer("/import", nothing -> {
            target.tables();
            return new Imported(2, 200);
        });

        JoinReport report = join(Duration.ofSeconds(30), Map.of()).run();

        assertThat(of("/mark", target)).isEmpty();
        assertThat(report.leftToCassandra().get("shop")).endsWith(": shop.users dropped");
    }

    /** With what is said of the tables the first, the second time and so on; the last answer stays. */
    private JoinReport joined(TablesNow... answers) throws Exception {
        Deque<TablesNow> next = new ArrayDeque<>(List.of(answers));
        return join(
                        Duration.ofSeconds(30),
                        List.of(source.client(), target.client()),
                        () -> next.size() > 1 ? next.remove() : next.element())
                .run();
    }

    @Test
    void a_keyspace_that_takes_no_files_when_the_wait_is_over_is_not_fetched() throws Exception {
        waitingFor(USERS);

        JoinReport report = joined(PLAIN, CAPTURED);

        assertThat(report.leftToCassandra()).isEqualTo(Map.of("shop", "shop.users has cdc"));
        assertThat(of("/fetch", target)).isEmpty();
        assertThat(of("/import", target)).isEmpty();
        assertThat(of("/mark", target)).isEmpty();
    }

    @Test
    void a_keyspace_that_takes_no_files_when_it_has_landed_is_not_imported() throws Exception {
        waitingFor(USERS);

        JoinReport report = joined(PLAIN, PLAIN, PLAIN, CAPTURED);

        assertThat(report.leftToCassandra()).isEqualTo(Map.of("shop", "shop.users has cdc"));
        assertThat(report.transfers()).isEmpty();
        assertThat(of("/fetch", target)).isNotEmpty();
        assertThat(of("/import", target)).isEmpty();
        assertThat(of("/mark", target)).isEmpty();
    }

    @Test
    void a_keyspace_that_takes_no_files_when_it_is_imported_is_not_marked() throws Exception {
        waitingFor(USERS);

        JoinReport report = joined(PLAIN, PLAIN, PLAIN, PLAIN, CAPTURED);

        assertThat(report.leftToCassandra()).isEqualTo(Map.of("shop", "shop.users has cdc"));
        assertThat(of("/import", target)).hasSize(1);
        assertThat(of("/mark", target)).isEmpty();
    }

    @Test
    void a_keyspace_of_which_a_table_is_truncated_after_the_pins_is_not_imported() throws Exception {
        waitingFor(USERS, CARTS);
        TablesNow first = truncated("0x01");

        JoinReport report = joined(first, first, first, truncated("0x02"));

        assertThat(of("/fetch", target))
                .as("it was truncated while it was fetched")
                .isNotEmpty();
        assertThat(of("/import", target)).isEmpty();
        assertThat(of("/mark", target)).isEmpty();
        assertThat(report.leftToCassandra().get("shop"))
                .startsWith("shop.users was truncated since it was pinned")
                .endsWith("truncate the table again)");
    }

    @Test
    void a_table_that_was_truncated_before_the_pins_or_of_another_keyspace_is_no_reason() throws Exception {
        waitingFor(USERS);
        TablesNow another = new TablesNow(Map.of(), Map.of(USERS.id(), "0x02", new UUID(8, 8), "0x03"));

        JoinReport report = joined(PLAIN, truncated("0x02"), another);

        assertThat(report.leftToCassandra()).isEmpty();
        assertThat(of("/mark", target)).hasSize(1);
    }

    /** The other keyspace is brought after that of the users. */
    private void waitingForTwoKeyspaces() {
        waitingFor(USERS, LOGS);
        Map<String, List<String>> planned = Map.of(SOURCE, List.of("(0,50]"));
        target.hook(new Hook(
                HookState.HOLDING,
                HOLD.toString(),
                "Bootstrap",
                5_000,
                "",
                new TreeMap<>(Map.of("shop", planned, "web", planned)),
                Map.of()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/fetch", "/let-go"})
    void a_table_that_is_truncated_after_its_keyspace_was_marked_has_to_be_truncated_again(String then)
            throws Exception {
        waitingForTwoKeyspaces();
        TablesNow.Source tables = () -> of("/mark", target).isEmpty()
                        || of(then, target).stream().noneMatch(order -> then.equals("/let-go") || order.contains("web"))
                ? truncated("0x01")
                : truncated("0x02");

        JoinReport report = join(Duration.ofSeconds(30), List.of(source.client(), target.client()), tables)
                .run();

        assertThat(of("/mark", target)).hasSize(2);
        assertThat(report.leftToCassandra()).isEmpty();
        assertThat(report.truncated()).containsExactly("shop.users");
        assertThat(report.isWhole()).isFalse();
        assertThat(text(report))
                .contains(
                        "truncated since it was pinned: shop.users, of which the node may have rows of before (truncate"
                                + " the table again)")
                .doesNotContain("VERIFIED");
        assertThat(screen)
                .filteredOn(line -> line.startsWith("shop.users was truncated since it was pinned"))
                .hasSize(1);
    }

    @Test
    void a_node_that_joined_while_truncations_could_not_be_asked_for_is_reported_and_not_verified() throws Exception {
        waitingFor(USERS);
        TablesNow.Source tables = () -> {
            if (of("/let-go", target).isEmpty()) {
                return truncated("0x01");
            }
            throw new IOException("no answer of 10.0.0.1:9042");
        };

        JoinReport report = join(Duration.ofSeconds(30), List.of(source.client(), target.client()), tables)
                .run();

        assertThat(target.orders()).contains("/clear-marks \"\"");
        assertThat(report.transfers()).hasSize(1);
        assertThat(report.isWhole()).isFalse();
        assertThat(screen).anyMatch(line -> line.contains("no answer of 10.0.0.1:9042"));
        assertThat(text(report))
                .contains("tables truncated meanwhile: unknown, since no answer of 10.0.0.1:9042")
                .doesNotContain("VERIFIED");
    }

    @Test
    void what_was_truncated_before_a_run_that_finds_the_node_joined_is_unknown() throws Exception {
        Map<String, Map<String, List<String>>> planned = Map.of("shop", Map.of(SOURCE, List.of("(0,50]")));
        target.hook(new Hook(
                HookState.LET_GO,
                HOLD.toString(),
                "Replace",
                5_000,
                "released by the agent",
                planned,
                Map.of("shop", List.of("(0,50]"))));
        Proof proof = new Proof(new UUID(9, 9), SOURCE, 1, 0, 3, 300, 2, 200, "d1");
        target.answer(
                "/arrivals",
                nothing -> new Arrivals(
                        List.of(),
                        List.of(new Landed(
                                new UUID(9, 9), new UUID(1, 1), USERS, TokenRanges.FULL, 200, Optional.of(proof)))));

        JoinReport report = join(Duration.ofSeconds(30), Map.of()).run();

        assertThat(report.leftToCassandra()).isEmpty();
        assertThat(report.transfers()).hasSize(1);
        assertThat(report.isWhole()).isFalse();
        assertThat(text(report))
                .contains("tables truncated meanwhile: unknown, since an earlier run")
                .doesNotContain("VERIFIED");
    }

    @Test
    void a_table_that_is_dropped_after_its_keyspace_was_marked_was_not_truncated() throws Exception {
        waitingFor(USERS);
        TablesNow.Source tables = () -> of("/let-go", target).isEmpty() ? truncated("0x01") : PLAIN;

        JoinReport report = join(Duration.ofSeconds(30), List.of(source.client(), target.client()), tables)
                .run();

        assertThat(report.truncated()).isEmpty();
        assertThat(report.isVerified()).isTrue();
    }

    private static TablesNow truncated(String when) {
        return new TablesNow(Map.of(), Map.of(USERS.id(), when));
    }

    @Test
    void formats_that_the_node_would_not_read_are_left_to_cassandra() throws Exception {
        waitingFor(USERS);
        source.answer("/pin", order -> pinned(order, "da"));

        JoinReport report = join(Duration.ofSeconds(30), Map.of()).run();

        assertThat(report.leftToCassandra().get("shop"))
                .startsWith("shop.users at " + SOURCE + " has SSTables of da, with which " + TARGET);
        assertThat(of("/fetch", target)).isEmpty();
        assertThat(of("/mark", target)).isEmpty();
    }

    @Test
    void a_node_that_replaces_another_is_refused() {
        waitingFor(USERS);
        target.replaces(Optional.of("10.0.0.8:7000"));

        assertThatThrownBy(() -> join(Duration.ofSeconds(30), Map.of()).run())
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("was started to replace 10.0.0.8:7000");
        assertThat(source.orders()).isEmpty();
        assertThat(target.orders()).isEmpty();
    }

    @Test
    void a_node_that_has_gone_on_after_it_replaced_another_is_refused() {
        target.hook(hook("LET_GO", "released by the agent"));
        target.replaces(Optional.of("10.0.0.8:7000"));

        assertThatThrownBy(() -> join(Duration.ofSeconds(30), Map.of()).run())
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("was started to replace 10.0.0.8:7000");
        assertThat(source.orders()).isEmpty();
        assertThat(target.orders()).isEmpty();
    }

    @Test
    void a_node_that_has_gone_on_and_is_being_rebuilt_keeps_what_it_receives() {
        target.hook(hook("LET_GO", "released by the agent"));
        target.rebuild(new Rebuild(new UUID(5, 5), 1, Map.of()));

        assertThatThrownBy(() -> join(Duration.ofSeconds(30), Map.of()).run())
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("the rebuild of node " + TARGET + " has begun and is not over");
        assertThatThrownBy(() -> join(Duration.ofSeconds(1), Map.of()).abort("wrong rack"))
                .hasMessageContaining("the rebuild of node " + TARGET + " has begun and is not over");
        assertThat(source.orders()).isEmpty();
        assertThat(target.orders()).isEmpty();
    }

    @Test
    void a_node_that_joins_without_asking_for_data_is_refused_at_once() {
        target.hook(hook("IDLE", ""));
        target.modes("STARTING", "JOINING", "NORMAL");

        assertThatThrownBy(() -> join(Duration.ofMinutes(5), Map.of()).run())
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("node " + TARGET + " is NORMAL and has asked nobody for data since it started")
                .hasMessageContaining("by sluice cassandra rebuild --node 10.0.0.4;");
        assertThat(screen).containsExactly("waiting: node " + TARGET + " has not asked for data yet");
        assertThat(source.orders()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void an_agent_that_has_just_been_started_is_waited_for(boolean comesUp) throws Exception {
        waitingFor(USERS);
        try (FakeAgent started = new FakeAgent(OTHER)) {
            source.ring(new FakeAgent.Ring("s1", List.of(SOURCE, OTHER), List.of(FakeAgent.DEAD), List.of()));
            started.ring(new FakeAgent.Ring("s1", List.of(SOURCE, OTHER), List.of(FakeAgent.DEAD), List.of()));
            started.tables(USERS);
            started.answer("/replicas", nothing -> REPLICAS);
            started.answer("/pin", order -> List.of());
            started.starting(comesUp ? 4 : Integer.MAX_VALUE);
            Join join = join(
                    Duration.ofSeconds(comesUp ? 30 : 1),
                    Map.of(),
                    List.of(source.client(), started.client(), target.client()));

            if (comesUp) {
                assertThat(join.run().transfers()).hasSize(1);
            } else {
                assertThatThrownBy(join::run)
                        .isInstanceOf(RefusedException.class)
                        .hasMessageContaining("node " + OTHER + " is alive and has no agent")
                        .hasMessageContaining(started.client() + ": this agent's node has not answered yet");
            }
            assertThat(screen).contains("waiting: " + started.client() + ": this agent's node has not answered yet");
        }
    }

    @Test
    void an_agent_of_a_dead_node_is_not_waited_for() throws Exception {
        waitingFor(USERS);
        try (FakeAgent ofDead = new FakeAgent(FakeAgent.DEAD)) {
            ofDead.starting(Integer.MAX_VALUE);

            assertThat(join(Duration.ofMinutes(5), Map.of(), List.of(source.client(), ofDead.client(), target.client()))
                            .run()
                            .transfers())
                    .hasSize(1);
            assertThat(screen).noneMatch(line -> line.contains("has not answered yet"));
        }
    }

    @Test
    void a_node_in_a_mode_that_is_not_known_is_named_with_its_mode() throws Exception {
        waitingFor(USERS);
        try (FakeAgent odd = new FakeAgent(OTHER)) {
            source.ring(new FakeAgent.Ring("s1", List.of(SOURCE, OTHER), List.of(FakeAgent.DEAD), List.of()));
            odd.refuse("/status");

            assertThatThrownBy(() -> join(List.of(source.client(), odd.client(), target.client()))
                            .run())
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("node " + OTHER + " is alive and has no agent")
                    .hasMessageContaining(odd.client() + ": ")
                    .hasMessageContaining("mode of the node: UNHEARD_OF (expected: another)");
        }
    }

    @Test
    void what_the_agent_of_the_new_node_says_is_passed_on_while_it_is_awaited() {
        target.refuse("/status");

        assertThatThrownBy(() -> join(Duration.ofMillis(1), Map.of()).run())
                .hasMessageContaining("no agent of 10.0.0.4 answers, or its node does not run yet; ")
                .hasMessageContaining("mode of the node: UNHEARD_OF");
        assertThat(screen).first().asString().contains("UNHEARD_OF");
    }

    @Test
    void aborting_lets_a_node_go_that_waits() throws Exception {
        target.hook(hook("HOLDING", ""));

        join(Duration.ofSeconds(1), Map.of()).abort("wrong rack");

        assertThat(target.orders())
                .containsExactly("/let-go {\"holdId\":\"" + HOLD + "\",\"abortReason\":\"wrong rack\"}", "/discard");
        assertThat(source.orders()).containsExactly(END);
        assertThat(screen)
                .containsExactly("node " + TARGET + " goes on, and fetches by itself what is not marked", REMOVED);
    }

    @Test
    void aborting_clears_up_after_a_node_that_has_gone_on() throws Exception {
        target.hook(hook("LET_GO", "no agent has called for 120 s"));

        join(Duration.ofSeconds(1), Map.of()).abort("wrong rack");

        assertThat(target.orders()).containsExactly("/discard");
        assertThat(source.orders()).containsExactly(END);
        assertThat(screen)
                .containsExactly("node " + TARGET + " had gone on already: no agent has called for 120 s", REMOVED);
    }

    @Test
    void aborting_clears_up_at_all_agents_that_answer_and_names_the_others() throws Exception {
        target.hook(hook("HOLDING", ""));
        source.refuse("/end");
        try (FakeAgent joining = new FakeAgent("10.0.0.2:7000");
                FakeAgent after = new FakeAgent("10.0.0.5:7000")) {
            FakeAgent gone = new FakeAgent("10.0.0.6:7000");
            gone.close();
            joining.modes("JOINING");
            Join join =
                    join(List.of(gone.client(), source.client(), joining.client(), target.client(), after.client()));

            assertThatThrownBy(() -> join.abort("wrong rack"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("snapshots, or what was received and not imported, stay at " + gone.client())
                    .hasMessageContaining("; " + source.client() + ": ")
                    .hasMessageContaining("run --abort again");
            assertThat(joining.orders()).containsExactly(END);
            assertThat(after.orders()).containsExactly(END);
            assertThat(target.orders()).hasSize(2).last().isEqualTo("/discard");
        }
    }

    @Test
    void snapshots_are_cleared_even_if_the_target_cannot_discard() throws Exception {
        target.hook(hook("HOLDING", ""));
        target.refuse("/discard");

        assertThatThrownBy(() -> join(Duration.ofSeconds(1), Map.of()).abort("wrong rack"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("stay at " + TARGET);
        assertThat(source.orders()).containsExactly(END);
    }

    @Test
    void a_join_is_done_even_if_a_source_keeps_its_snapshots() throws Exception {
        target.hook(hook("LET_GO", "released by the agent"));
        source.refuse("/end");

        join(Duration.ofSeconds(30), Map.of()).run();

        assertThat(screen.get(screen.size() - 1))
                .startsWith("the node has its data, and snapshots stay at " + source.client())
                .endsWith("(run the command again, without --agent for what is gone for good, or clear them by nodetool"
                        + " clearsnapshot -t sluice-" + HOLD + "-TABLE)");
    }

    @Test
    void a_source_that_does_not_answer_keeps_its_snapshots_and_is_named() throws Exception {
        target.hook(hook("LET_GO", "released by the agent"));
        FakeAgent gone = new FakeAgent(OTHER);
        gone.close();

        join(List.of(source.client(), gone.client(), target.client())).run();

        assertThat(source.orders()).containsExactly(END);
        assertThat(screen)
                .last()
                .asString()
                .startsWith("the node has its data, and snapshots stay at " + gone.client() + ": ");
    }

    @Test
    void a_node_that_goes_on_while_it_is_aborted_is_cleared_up_after() throws Exception {
        target.hook(hook("HOLDING", ""));
        target.refuseToLetGo(hook("LET_GO", "no agent has called for 120 s"));

        join(Duration.ofSeconds(1), Map.of()).abort("wrong rack");

        assertThat(target.orders()).hasSize(2).last().isEqualTo("/discard");
        assertThat(source.orders()).containsExactly(END);
    }

    @Test
    void a_node_that_waits_on_and_does_not_let_go_keeps_everything() {
        target.hook(hook("HOLDING", ""));
        target.refuseToLetGo(hook("HOLDING", ""));

        assertThatThrownBy(() -> join(Duration.ofSeconds(1), Map.of()).abort("wrong rack"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the hook refuses");
        assertThat(target.orders()).hasSize(1);
        assertThat(source.orders()).isEmpty();
    }

    @Test
    void aborting_clears_up_after_a_node_that_has_joined_and_was_restarted_without_the_hook() throws Exception {
        source.pins(HOLD, TARGET);
        try (FakeAgent ofAnother = new FakeAgent(OTHER)) {
            ofAnother.pins(new UUID(5, 5), "10.0.0.9:7000");

            join(List.of(source.client(), ofAnother.client(), target.client())).abort("was restarted");

            assertThat(ofAnother.orders()).isEmpty();
        }
        assertThat(source.orders()).containsExactly(END);
        assertThat(target.orders()).containsExactly("/discard");
        assertThat(screen)
                .containsExactly(
                        "node " + TARGET
                                + " is NORMAL, and knows of no operation since it started: what earlier ones have"
                                + " left is removed",
                        "snapshots of operation " + HOLD + " are removed at " + source.client(),
                        "node " + TARGET + " has no hook that clears marks: ask it by cqlsh SELECT keyspace_name FROM"
                                + " system.available_ranges_v2; and for each keyspace that it names, which a later"
                                + " nodetool rebuild would skip, DELETE FROM system.available_ranges_v2 WHERE"
                                + " keyspace_name = 'KEYSPACE';",
                        REMOVED);
    }

    @Test
    void aborting_clears_marks_of_a_node_that_has_joined_and_was_restarted_with_the_hook() throws Exception {
        target.hook(hook("IDLE", ""));
        source.pins(HOLD, TARGET);

        join(Duration.ofSeconds(1), Map.of()).abort("was restarted");

        assertThat(source.orders()).containsExactly(END);
        assertThat(target.orders()).containsExactly("/discard", "/clear-marks \"\"");
        assertThat(screen).last().isEqualTo(REMOVED);
    }

    @Test
    void what_stays_after_a_node_that_was_restarted_is_named_and_aborting_may_be_repeated() throws Exception {
        target.hook(hook("IDLE", ""));
        target.refuse("/clear-marks");
        source.pins(HOLD, TARGET);
        FakeAgent gone = new FakeAgent(OTHER);
        gone.close();

        assertThatThrownBy(() -> join(List.of(gone.client(), source.client(), target.client()))
                        .abort("was restarted"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("stay at " + gone.client() + ": ")
                .hasMessageContaining("; " + TARGET + ": ")
                .hasMessageContaining("run --abort again");
        assertThat(source.orders()).containsExactly(END);
        target.refuse("nothing");
        join(Duration.ofSeconds(1), Map.of()).abort("was restarted");
        assertThat(screen).last().isEqualTo(REMOVED);
    }

    @Test
    void aborting_a_join_leaves_a_rebuild_of_the_node_alone() {
        target.rebuild(new Rebuild(HOLD, 1, Map.of()));
        source.pins(HOLD, TARGET);

        assertThatThrownBy(() -> join(Duration.ofSeconds(1), Map.of()).abort("was restarted"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the rebuild of node " + TARGET + " has begun and is not over");
        assertThat(source.orders()).isEmpty();
        assertThat(target.orders()).isEmpty();
    }

    @Test
    void a_member_for_which_snapshots_are_kept_is_refused_with_how_to_remove_them() {
        source.pins(HOLD, TARGET);

        assertThatThrownBy(() -> join(Duration.ofMinutes(5), Map.of()).run())
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("snapshots of an earlier operation for it are at " + SOURCE + " (");
        assertThat(source.orders()).isEmpty();
    }

    @Test
    void a_node_that_has_not_asked_has_nothing_to_abort() {
        target.modes("JOINING");
        target.hook(hook("IDLE", ""));

        assertThatThrownBy(() -> join(Duration.ofSeconds(1), Map.of()).abort("wrong rack"))
                .isInstanceOf(IOException.class)
                .hasMessage("node " + TARGET + " has not asked for data yet: there is nothing to abort");
        assertThat(target.orders()).isEmpty();
        assertThat(source.orders()).isEmpty();
    }

    @Test
    void who_aborts_hears_why_no_agent_of_the_node_answers() throws Exception {
        AgentClient gone;
        try (FakeAgent agent = new FakeAgent(TARGET)) {
            gone = agent.client();
        }

        assertThatThrownBy(() -> join(List.of(source.client(), gone)).abort("wrong rack"))
                .hasMessageStartingWith("no agent of 10.0.0.4 answers; " + gone)
                .hasMessageContaining("nobody listens at ");
        assertThat(source.orders()).isEmpty();
    }

    @Test
    void nothing_is_pinned_for_a_node_without_room() {
        TableRef users = new TableRef(new UUID(1, 1), "shop", "users");
        Replicas replicas = new Replicas(Map.of("(0,50]", List.of(SOURCE), "(50,0]", List.of(SOURCE)), Map.of());
        source.ring(new FakeAgent.Ring("s1", List.of(SOURCE), List.of("10.0.0.3:7000"), List.of()));
        source.data(Map.of(users, 1_000L), replicas);
        target.data(Map.of(users, 0L), replicas);
        target.modes("JOINING");
        target.freeBytes(999);
        target.hook(new Hook(
                HookState.HOLDING,
                HOLD.toString(),
                "Replace",
                1,
                "",
                Map.of("shop", Map.of(SOURCE, List.of("(0,50]", "(50,0]"))),
                Map.of()));

        TableRef marked = new TableRef(new UUID(1, 2), "logs", "events");
        Landed earlier =
                new Landed(new UUID(9, 9), new UUID(1, 1), marked, TokenRanges.FULL, 1L << 40, Optional.empty());
        target.answer("/arrivals", nothing -> new Arrivals(List.of(), List.of(earlier)));

        assertThatThrownBy(() -> join(Duration.ofSeconds(1), Map.of()).run())
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("node " + TARGET + " has room for 999 B on 1 of 1 volumes, and 1000 B");
        assertThat(source.orders()).isEmpty();
        assertThat(target.orders()).containsExactly("/discard");
    }
}
