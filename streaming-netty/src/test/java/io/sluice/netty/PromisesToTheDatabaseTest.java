package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.PlanResult.LiveWrites;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the embedding database may rely on, between two real nodes. Whatever it answers, and when:
 * {@code DatabaseCallsTest} of the simulation.
 */
@Timeout(120)
@ExtendWith(LeakCheck.class)
class PromisesToTheDatabaseTest {
    private static final Path FIXTURE =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "kv", "nb");
    private static final RetryPolicy QUICK = new RetryPolicy(3, 10, Duration.ofMillis(20), Duration.ofMillis(100));

    @TempDir
    Path temp;

    private final List<PlanResult> told = new CopyOnWriteArrayList<>();

    private StreamOptions.Builder options() {
        return StreamOptions.builder()
                .connectionsPerHost(2)
                .retries(QUICK)
                .schemaTimeout(Duration.ofSeconds(1))
                .listener(Results.to(told::add), Runnable::run);
    }

    private TwoNodes cluster() throws IOException {
        return new TwoNodes(temp, FIXTURE, options().build());
    }

    @Test
    void is_called_in_this_order_and_no_other() throws Exception {
        try (TwoNodes cluster = cluster()) {
            assertThat(cluster.fetchAll().isComplete()).isTrue();

            String table = cluster.table.name();
            assertThat(cluster.targetStore.calls)
                    .containsExactly(
                            "expect " + table,
                            "permit " + table,
                            "activate " + table,
                            "activated " + table,
                            "back " + table,
                            "end " + table);
        }
    }

    @Test
    void may_read_each_sstable_as_soon_as_it_has_arrived() throws Exception {
        Map<String, Integer> arrived = new ConcurrentHashMap<>();
        try (TwoNodes cluster = cluster()) {
            cluster.targetStore.onCall = call -> {
                if (call.startsWith("arrived ")) {
                    Path data = Path.of(call.substring("arrived ".length()));
                    boolean isEarly =
                            cluster.targetStore.calls.stream().noneMatch(other -> other.startsWith("permit "));
                    arrived.merge(data.getFileName().toString(), isEarly ? partitions(data) : -1, Integer::sum);
                }
            };

            assertThat(cluster.fetchAll().isComplete()).isTrue();

            assertThat(arrived)
                    .isEqualTo(cluster.targetStore.live.stream()
                            .collect(Collectors.toMap(
                                    data -> data.getFileName().toString(), PromisesToTheDatabaseTest::partitions)));
        }
    }

    private static int partitions(Path data) {
        try (PartitionReader reader = PartitionReader.open(
                SSTable.open(
                        data.resolveSibling("").normalize(),
                        Descriptor.parse(String.valueOf(data.getFileName()))
                                .orElseThrow()
                                .descriptor()),
                TokenRanges.FULL)) {
            int partitions = 0;
            while (reader.next().isPresent()) {
                partitions++;
            }
            return partitions;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void is_told_of_the_end_of_a_plan_once_and_may_call_back_from_there() throws Exception {
        AtomicInteger ended = new AtomicInteger();
        StreamOptions.Builder options = options();
        try (TwoNodes cluster = new TwoNodes(
                temp,
                FIXTURE,
                options().listener(new StreamListener() {}, Runnable::run).build(),
                options.listener(
                                Results.to(result -> {
                                    ended.incrementAndGet();
                                    throw new IllegalStateException("a database that fails here");
                                }),
                                Runnable::run)
                        .build())) {
            PlanResult first = cluster.fetchAll();
            PlanResult again = cluster.fetchAll();

            assertThat(first.isComplete()).isTrue();
            assertThat(again).isEqualTo(first);
            // The result may be there a moment before the listener is called.
            await().untilAsserted(() -> assertThat(ended).hasValue(1));
        }
        assertThat(ended).hasValue(1);
    }

    @Test
    void a_plan_that_was_complete_is_not_executed_again_after_a_restart() throws Exception {
        Node source = TestTables.node("source");
        Node target = TestTables.node("target");
        StreamPlan plan = TestTables.plan(source, 0);
        DirectoryStore store = TestTables.store(temp.resolve("again"), 1, 0);
        try (StreamingNode sender =
                StreamingNode.start(source, options().build(), TestTables.store(temp.resolve("from"), 1, 4 << 10))) {
            PlanResult first;
            try (StreamingNode receiver = StreamingNode.start(target, options().build(), store)) {
                first = receiver.execute(plan).get(30, SECONDS);
            }
            long sent = sender.counters().bytesSent();
            try (StreamingNode receiver = StreamingNode.start(target, options().build(), store)) {
                PlanResult again = receiver.execute(plan).get(30, SECONDS);

                assertThat(again.tables()).isEqualTo(first.tables());
                assertThat(again.ranges()).isEqualTo(first.ranges());
                assertThat(again.isComplete()).isTrue();
            }
            assertThat(sender.counters().bytesSent()).isEqualTo(sent).isPositive();
            assertThat(store.calls).containsOnlyOnce("activate t0");
        }
    }

    @Test
    void writes_that_were_not_on_when_the_plan_began_are_a_gap() {
        assertThat(LiveWrites.between(Optional.empty(), Optional.of(Instant.EPOCH))
                        .kind())
                .isEqualTo(LiveWrites.Kind.GAP);
        assertThat(LiveWrites.between(Optional.of(Instant.EPOCH), Optional.empty()))
                .hasToString("writes no longer arrive; repair before reads rely on it");
        assertThat(LiveWrites.between(Optional.empty(), Optional.empty())).isEqualTo(LiveWrites.NOT_SAID);
    }

    @Test
    void pins_nothing_more_when_pins_keep_too_much_alive() throws Exception {
        try (TwoNodes cluster = cluster()) {
            long volume = Files.getFileStore(temp).getTotalSpace();
            try (var pin = cluster.source.pins().pin(UUID.randomUUID(), cluster.table, TokenRanges.FULL)) {
                cluster.sourceStore.obsoleteBytes = volume / 9;
                assertThat(cluster.source.obsoletePinnedBytes()).isEqualTo(volume / 9);

                PlanResult refused = cluster.fetchAll();

                assertThat(refused.tables().get(0).reason())
                        .contains("LIMIT")
                        .contains(volume / 9 + " bytes of obsolete files are kept only because 1 transfers")
                        .contains("10 % of the volume");
                assertThat(pin.obsoleteBytes()).isEqualTo(volume / 9);
            }
            cluster.sourceStore.obsoleteBytes = 0;
            StreamRequest request = new StreamRequest(cluster.sourceNode, cluster.table, TokenRanges.FULL);
            assertThat(cluster.target
                            .execute(new StreamPlan(UUID.randomUUID(), Operation.REPLACE, List.of(request)))
                            .get(30, SECONDS)
                            .isComplete())
                    .isTrue();
        }
    }

    @Test
    void gets_pins_of_what_has_landed_back_first_when_pins_keep_too_much_alive() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        try (TwoNodes cluster = cluster()) {
            long volume = Files.getFileStore(temp).getTotalSpace();
            cluster.targetStore.answer = table -> {
                try {
                    answer.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            };
            StreamRequest request = new StreamRequest(cluster.sourceNode, cluster.table, TokenRanges.FULL);
            var result = cluster.target.execute(new StreamPlan(cluster.planId, Operation.REPLACE, List.of(request)));
            await().until(() -> cluster.targetStore.calls.contains("activate " + cluster.table.name()));
            assertThat(cluster.source.pins().open()).isEqualTo(1);
            cluster.sourceStore.obsoleteBytes = volume / 9;

            UUID other = UUID.randomUUID();
            // refused until the source has looked at what has landed
            await().until(() -> isPinned(cluster, other));

            // what has landed, and what was just pinned and closed
            await().until(() -> cluster.sourceStore.pins.get() == 0);
            assertThat(result).isNotDone();
            answer.countDown();
            assertThat(result.get(30, SECONDS).isComplete()).isTrue();
        }
    }

    private static boolean isPinned(TwoNodes cluster, UUID plan) throws IOException {
        try (var pin = cluster.source.pins().pin(plan, cluster.table, TokenRanges.FULL)) {
            return !pin.sstables().isEmpty();
        } catch (StreamException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.LIMIT);
            return false;
        }
    }

    @Test
    void a_table_that_stays_unknown_is_refused_and_cancelling_does_not_wait_for_it() throws Exception {
        try (TwoNodes cluster = new TwoNodes(
                temp, FIXTURE, options().schemaTimeout(Duration.ofSeconds(60)).build())) {
            cluster.targetStore.hidden.add(cluster.table.id());
            StreamRequest request = new StreamRequest(cluster.sourceNode, cluster.table, TokenRanges.FULL);
            var result = cluster.target.execute(new StreamPlan(cluster.planId, Operation.REPLACE, List.of(request)));

            cluster.target.cancel(cluster.planId, "no longer wanted");

            assertThat(result.get(5, SECONDS).tables().get(0).reason()).isEqualTo("CANCELLED: no longer wanted");
        }
        try (TwoNodes cluster =
                new TwoNodes(temp.resolve("other"), FIXTURE, options().build())) {
            cluster.targetStore.hidden.add(cluster.table.id());

            assertThat(cluster.fetchAll().tables().get(0).reason())
                    .startsWith("UNKNOWN_TABLE")
                    .contains("is not known at target, also not after 1 s");
        }
    }
}
