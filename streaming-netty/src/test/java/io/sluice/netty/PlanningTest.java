package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.Deadlines;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyChange.Bootstrap;
import io.sluice.streaming.plan.TopologyChange.BulkLoad;
import io.sluice.streaming.plan.TopologyChange.Difference;
import io.sluice.streaming.plan.TopologyChange.Repair;
import io.sluice.streaming.plan.TopologyChange.Replace;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.plan.TopologyPlan.Transfer;
import io.sluice.streaming.plan.TopologyPlan.Unavailable;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.StreamActivity;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A node takes the place of a dead one, of three that hold everything; the other two are as each case has them. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class PlanningTest {
    private static final int TABLES = 2;
    private static final Deadlines IMPATIENT = new Deadlines(
            Duration.ofMillis(100),
            Duration.ofSeconds(1),
            Duration.ofSeconds(20),
            Duration.ofSeconds(20),
            Duration.ofSeconds(20));

    @TempDir
    Path temp;

    private final List<StreamingNode> running = new ArrayList<>();
    private Node first;
    private Node second;
    private Node dead;
    private Node self;

    @BeforeEach
    void nodes() throws IOException {
        first = node("first", 0);
        second = node("second", 100);
        dead = node("dead", 200);
        self = TestTables.node("self");
    }

    @AfterEach
    void close() {
        running.forEach(StreamingNode::close);
    }

    private static Node node(String name, long token) throws IOException {
        return TestTables.node(name).withTokens(List.of(new Token(token)));
    }

    private static StreamOptions options() {
        return StreamOptions.builder()
                .deadlines(IMPATIENT)
                .retries(new RetryPolicy(3, 9, Duration.ofMillis(20), Duration.ofMillis(50)))
                .build();
    }

    private StreamingNode start(Node node, TableStore store) throws IOException {
        StreamingNode started = StreamingNode.start(node, options(), store);
        running.add(started);
        return started;
    }

    private DirectoryStore holding(Node node) throws IOException {
        return TestTables.store(temp.resolve(node.name()), TABLES, 64 << 10);
    }

    private StreamingNode empty() throws IOException {
        return start(self, TestTables.store(temp.resolve("self"), TABLES, 0));
    }

    private Map<TableRef, Ring> rings() {
        Map<TableRef, Ring> rings = new LinkedHashMap<>();
        for (int table = 0; table < TABLES; table++) {
            rings.put(TestTables.table(table), new Ring(List.of(first, second, dead), 3));
        }
        return rings;
    }

    private TopologyPlan planned(StreamingNode planner) throws Exception {
        return planner.plan(new Replace(dead, self), rings()).get(30, SECONDS);
    }

    private static void requireComplete(StreamingNode planner, TopologyPlan plan) throws Exception {
        PlanResult result = planner.execute(plan).get(30, SECONDS);

        assertThat(result.isComplete()).as("%s", result).isTrue();
        assertThat(result.tables()).hasSize(TABLES).allMatch(table -> table.sstables() > 0);
    }

    @Test
    void of_a_source_that_answers_wrongly_nobody_reads_that_it_is_down() throws Exception {
        start(first, holding(first));
        Node other = new Node(new UUID(6, 6), "other", first.address(), first.tokens());
        Ring ring = new Ring(List.of(other, dead), 2);
        StreamingNode planner = empty();

        try (LogCapture log = new LogCapture()) {
            assertThat(planner.plan(new Replace(dead, self), Map.of(TestTables.table(0), ring)))
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableOfType(ExecutionException.class)
                    .withMessageContaining("none of the 1 nodes that may send it can be used (other)")
                    .withMessageContaining("WRONG_PEER")
                    .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("is up"));

            assertThat(log.with("did not answer")).isEmpty();
            assertThat(log.with("leaving it out: WRONG_PEER: ")).isNotEmpty();
        }
    }

    @Test
    void of_the_only_source_that_answers_wrongly_nobody_reads_that_it_does_not_answer() throws Exception {
        start(first, holding(first));
        Node other = new Node(new UUID(6, 6), "other", first.address(), first.tokens());
        Ring ring = new Ring(List.of(other, self.withTokens(List.of(new Token(300)))), 2);
        Repair repair = new Repair(List.of(new Difference(self, other, TestTables.table(0), TokenRanges.FULL)), true);

        assertThat(empty().plan(repair, Map.of(TestTables.table(0), ring)))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("only other can send it, and it cannot be used; left out: other: WRONG_PEER: ");
    }

    @Test
    void a_node_joins_a_cluster_before_its_first_table() throws Exception {
        StreamingNode joining = empty();

        TopologyPlan plan = joining.plan(new Bootstrap(self, false), Map.of()).get(30, SECONDS);

        assertThat(joining.execute(plan).get(30, SECONDS).isComplete()).isTrue();
    }

    @Test
    void the_example_of_the_readme_replaces_a_node() throws Exception {
        StreamOptions.Builder named = StreamOptions.builder().clusterName("prod");
        running.add(StreamingNode.start(first, named.build(), holding(first)));
        running.add(StreamingNode.start(second, named.build(), holding(second)));

        PlanResult result =
                EmbeddingExample.replace(self, dead, TestTables.store(temp.resolve("self"), TABLES, 0), rings());

        assertThat(result.isComplete()).as("%s", result).isTrue();
        assertThat(result.started()).isBeforeOrEqualTo(result.ended());
    }

    @Test
    void a_source_that_is_down_is_left_out_and_named() throws Exception {
        start(first, holding(first));
        StreamingNode planner = empty();

        TopologyPlan plan = planned(planner);

        assertThat(plan.unavailable()).extracting(Unavailable::node).containsExactly(second);
        assertThat(plan.unavailable()).extracting(Unavailable::code).containsExactly(ErrorCode.PEER_LOST);
        assertThat(plan.transfers()).extracting(Transfer::source).containsOnly(first);
        assertThat(plan.explanation())
                .startsWith("replace: ")
                .contains("first sends ", "left out: second: PEER_LOST: ");
        requireComplete(planner, plan);
    }

    @Test
    void nobody_left_to_send_is_a_failure_that_names_who_was_left_out() throws Exception {
        assertThatThrownBy(() -> planned(empty()))
                .hasCauseInstanceOf(StreamException.class)
                .hasMessageContaining("left out: first: PEER_LOST: ")
                .extracting(failure -> ((StreamException) Objects.requireNonNull(failure.getCause())).code())
                .isEqualTo(ErrorCode.NO_SOURCE);
    }

    @Test
    void a_source_that_is_slow_or_busy_is_asked_again() throws Exception {
        AtomicInteger slow = new AtomicInteger();
        AtomicInteger busy = new AtomicInteger();
        CountDownLatch askedAgain = new CountDownLatch(1);
        start(first, InterceptedStore.of(holding(first), call -> {
            if (call.equals("inspect") && slow.incrementAndGet() == 1) {
                awaitLatch(askedAgain); // silent until then
            } else if (call.equals("inspect")) {
                askedAgain.countDown();
            }
        }));
        start(second, InterceptedStore.of(holding(second), call -> {
            if (call.equals("inspect") && busy.incrementAndGet() <= 2) {
                throw new StreamException(ErrorCode.BUSY, "not now");
            }
        }));
        StreamingNode planner = empty();

        TopologyPlan plan = planned(planner);

        assertThat(plan.unavailable()).isEmpty();
        assertThat(slow).hasValueGreaterThan(TABLES);
        assertThat(busy).hasValueGreaterThan(TABLES);
        requireComplete(planner, plan);
    }

    private static void awaitLatch(CountDownLatch latch) throws InterruptedException {
        if (!latch.await(30, SECONDS)) {
            throw new AssertionError("waited for 30 s");
        }
    }

    @Test
    void nothing_of_what_sources_answered_is_charged_when_the_plan_is_made() throws Exception {
        start(first, holding(first));
        start(second, holding(second));
        StreamingNode planner = empty();

        planned(planner);

        await().until(() -> inventoryBytes(planner) == 0);
    }

    private static double inventoryBytes(StreamingNode node) {
        return node.queues().stream()
                .filter(queue -> queue.name().equals("inventory"))
                .mapToDouble(StreamActivity.QueueSample::used)
                .sum();
    }

    @Test
    void a_table_that_one_source_does_not_know_comes_from_the_other_and_nothing_else_does() throws Exception {
        DirectoryStore forgetful = holding(first);
        forgetful.hidden.add(TestTables.table(1).id());
        start(first, forgetful);
        start(second, holding(second));
        StreamingNode planner = empty();

        TopologyPlan plan = planned(planner);

        assertThat(plan.unavailable()).singleElement().satisfies(left -> {
            assertThat(left.node()).isEqualTo(first);
            assertThat(left.table()).contains(TestTables.table(1));
            assertThat(left.code()).isEqualTo(ErrorCode.UNKNOWN_TABLE);
        });
        assertThat(plan.transfers())
                .filteredOn(transfer -> transfer.table().equals(TestTables.table(1)))
                .extracting(Transfer::source)
                .containsOnly(second);
        assertThat(plan.transfers())
                .filteredOn(transfer -> transfer.table().equals(TestTables.table(0)))
                .allMatch(transfer -> transfer.alternates().size() == 1);
        requireComplete(planner, plan);
    }

    @Test
    void a_question_pins_nothing_where_the_database_says_what_it_has() throws Exception {
        DirectoryStore store = holding(first);
        store.isInspected = true;
        start(first, store);
        StreamingNode planner = empty();

        TopologyPlan plan = planned(planner);

        assertThat(plan.totalBytes()).isPositive();
        assertThat(store.pins).hasValue(0);
    }

    @Test
    void a_loader_answers_itself_and_plans_for_all() throws Exception {
        DirectoryStore store = TestTables.store(temp.resolve("loader"), TABLES, 64 << 10);
        StreamingNode loader = start(self, store);
        Map<TableRef, Ring> rings = rings();

        TopologyPlan plan = loader.plan(new BulkLoad(self), rings).get(30, SECONDS);

        assertThat(plan.destinations()).containsExactlyInAnyOrder(first, second, dead);
        assertThat(plan.totalBytes()).isPositive();
        assertThat(plan.streamPlan(UUID.randomUUID(), first).requests())
                .isNotEmpty()
                .allMatch(request -> request.source().equals(self));
        assertThat(loader.execute(plan).get(30, SECONDS).tables()).isEmpty();
    }

    @Test
    void a_replica_that_does_not_answer_ends_the_planning_of_a_repair() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Node frozen = TestTables.node(UUID.randomUUID(), "frozen", silent.getLocalPort())
                    .withTokens(List.of(new Token(0)));
            TopologyChange repair =
                    new Repair(List.of(new Difference(self, frozen, TestTables.table(0), TokenRanges.FULL)), false);
            Map<TableRef, Ring> rings =
                    Map.of(TestTables.table(0), new Ring(List.of(self.withTokens(List.of(new Token(5))), frozen), 2));

            assertThatThrownBy(() -> empty().plan(repair, rings).get(30, SECONDS))
                    .hasCauseInstanceOf(StreamException.class)
                    .hasMessageContaining("only frozen can send it")
                    .hasMessageContaining("frozen: TIMEOUT");
        }
    }

    @Test
    void what_is_being_planned_ends_when_the_node_is_closed() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            first = TestTables.node(UUID.randomUUID(), "frozen", silent.getLocalPort())
                    .withTokens(List.of(new Token(0)));
            StreamingNode planner = StreamingNode.start(
                    self, StreamOptions.builder().build(), TestTables.store(temp.resolve("self"), TABLES, 0));
            running.add(planner);
            CompletableFuture<TopologyPlan> planning = planner.plan(new Replace(dead, self), rings());
            silent.accept().close(); // it has been asked
            await().until(() -> !planning.isDone());

            planner.close();

            requireCancelled(planning);
            requireCancelled(planner.plan(new Replace(dead, self), rings()));
        }
    }

    private static void requireCancelled(CompletableFuture<TopologyPlan> planning) {
        assertThat(planning)
                .failsWithin(Duration.ofSeconds(1))
                .withThrowableOfType(ExecutionException.class)
                .satisfies(failure -> assertThat(((StreamException) Objects.requireNonNull(failure.getCause())).code())
                        .isEqualTo(ErrorCode.CANCELLED));
    }

    @Test
    void a_ring_that_does_not_fit_fails_the_planning_and_hangs_nothing() throws Exception {
        Node foreign = TestTables.node("foreign");

        CompletableFuture<TopologyPlan> planning = empty().plan(new Replace(foreign, self), rings());

        assertThat(planning)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(IllegalArgumentException.class);
    }
}
