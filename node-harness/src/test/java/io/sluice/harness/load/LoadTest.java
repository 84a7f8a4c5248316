package io.sluice.harness.load;

import static io.sluice.tools.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.load.LoadGenerator.Mix;
import io.sluice.harness.load.LoadTable.Write;
import io.sluice.harness.load.LoadVerification.Outcome;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ring.Membership;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoadTest {
    private static final List<Write> BATCH = List.of(new Write("a", 1, "one"), new Write("b", 2, "two"));

    @TempDir
    private Path temporary = Path.of("");

    private final FakeReplica first;
    private final FakeReplica second;
    private final FakeReplica third;
    private final FakeReplica fourth;
    private final List<FakeReplica> all;
    private final Ring ring;

    LoadTest() throws IOException {
        first = new FakeReplica(1);
        second = new FakeReplica(2);
        third = new FakeReplica(3);
        fourth = new FakeReplica(4);
        all = List.of(first, second, third, fourth);
        ring = new Ring(List.of(first.node, second.node, third.node), 3);
    }

    @AfterEach
    void stop() {
        all.forEach(FakeReplica::close);
    }

    private Map<Node, AdminClient> clients() {
        Map<Node, AdminClient> clients = new HashMap<>();
        all.forEach(replica -> clients.put(replica.node, replica.client()));
        return clients;
    }

    private Coordinator coordinator(Consistency consistency) {
        return new Coordinator(LoadTable.DEFAULT, consistency, ring, clients());
    }

    /** node4 takes the place of node3, which is dead. */
    private Ring replacing() {
        return ring.with(third.node.down()).with(fourth.node.as(new Membership.Replacing(third.node.id())));
    }

    @Test
    void every_replica_gets_every_write() throws Exception {
        try (Coordinator coordinator = coordinator(Consistency.ONE)) {
            assertThat(coordinator.write(BATCH)).isEqualTo(BATCH);
        }

        assertThat(List.of(first, second, third))
                .allSatisfy(replica -> assertThat(replica.rows).hasSize(2));
        assertThat(fourth.rows).isEmpty();
    }

    @Test
    void a_quorum_acknowledges_and_less_does_not() throws Exception {
        try (Coordinator coordinator = coordinator(Consistency.QUORUM)) {
            third.refuses = true;
            assertThat(coordinator.write(BATCH)).isEqualTo(BATCH);

            second.refuses = true;
            assertThat(coordinator.write(BATCH)).isEmpty();
        }
    }

    @Test
    void what_a_replica_refused_is_delivered_later() throws Exception {
        try (Coordinator coordinator = coordinator(Consistency.ONE)) {
            second.refuses = true;
            coordinator.write(BATCH);
            assertThat(coordinator.hintCount()).isEqualTo(2);

            second.refuses = false;
            coordinator.deliverHints();

            assertThat(coordinator.hintCount()).isZero();
            assertThat(second.rows).hasSize(2);
        }
    }

    @Test
    void more_hints_than_a_node_takes_in_one_request_are_delivered_in_several() throws Exception {
        List<Write> many = IntStream.range(0, 3_000)
                .mapToObj(i -> new Write("key-" + i, i, "x".repeat(400)))
                .toList();
        try (Coordinator coordinator = coordinator(Consistency.ONE)) {
            second.refuses = true;
            for (int from = 0; from < many.size(); from += 1_000) {
                coordinator.write(many.subList(from, from + 1_000));
            }
            second.refuses = false;

            coordinator.deliverHints();

            assertThat(coordinator.hintCount()).isZero();
            assertThat(second.rows).hasSize(many.size());
        }
    }

    @Test
    void a_pending_replica_gets_the_writes_and_must_have_them() throws Exception {
        try (Coordinator coordinator = coordinator(Consistency.QUORUM)) {
            coordinator.change(replacing(), Map.of());
            assertThat(coordinator.write(BATCH)).isEqualTo(BATCH);
            assertThat(fourth.rows).hasSize(2);

            fourth.refuses = true;
            assertThat(coordinator.write(BATCH)).isEmpty();
        }
        assertThat(third.rows).as("rows of the dead node").isEmpty();
    }

    @Test
    void nodes_are_told_which_writes_come_to_them_before_the_first_one_and_when_the_ring_changes() throws Exception {
        try (Coordinator coordinator = coordinator(Consistency.QUORUM)) {
            coordinator.write(BATCH);
            assertThat(first.told)
                    .containsExactly(
                            new AdminRequests.TakePart(LoadTable.DEFAULT.ref().id(), TokenRanges.FULL.ranges(), false));
            coordinator.write(BATCH);
            assertThat(first.told).hasSize(1);

            coordinator.change(replacing(), Map.of());
            assertThat(fourth.told).hasSize(1);
            assertThat(fourth.told.get(0).ranges()).isEqualTo(TokenRanges.FULL.ranges());
            assertThat(third.told).as("the dead node").hasSize(1);
        }
    }

    @Test
    void a_node_that_has_missed_a_write_is_told_so_before_the_next_one() throws Exception {
        try (Coordinator coordinator = coordinator(Consistency.QUORUM)) {
            coordinator.write(BATCH);
            second.refuses = true;
            coordinator.write(BATCH);
            second.refuses = false;
            coordinator.write(BATCH);

            assertThat(second.told)
                    .extracting(AdminRequests.TakePart::hasMissed)
                    .containsExactly(false, true);
            assertThat(first.told).hasSize(1);
        }
    }

    @Test
    void what_was_not_acknowledged_is_sent_until_it_is() throws Exception {
        Path file = temporary.resolve("acknowledged");
        try (Coordinator coordinator = coordinator(Consistency.QUORUM)) {
            LoadGenerator generator = new LoadGenerator(coordinator, Mix.of(2000), file, InstantSource.system());
            generator.start();
            awaitWhileRunning(generator, () -> generator.acknowledged() > 0);
            second.refuses = true;
            third.refuses = true;
            // The first that the third refuses may have reached the second before; a later one reaches neither.
            awaitWhileRunning(generator, () -> third.refused.get() > 1);
            assertThat(generator.unacknowledged()).isNotEmpty();
            second.refuses = false;
            third.refuses = false;
            LoadGenerator.Summary summary = generator.stop();

            assertThat(summary.acknowledged()).as("at once").isLessThan(summary.sent());
            assertThat(Acknowledged.read(file).keySet()).isEqualTo(first.rows.keySet());
            assertThat(second.rows).isEqualTo(first.rows);
        }
    }

    @Test
    void a_table_that_was_emptied_has_what_was_written_after_that() throws Exception {
        Path file = temporary.resolve("acknowledged");
        try (Coordinator coordinator = coordinator(Consistency.QUORUM)) {
            LoadGenerator generator = new LoadGenerator(coordinator, new Mix(0, 10, 0), file, InstantSource.system());
            generator.start();
            generator.insert(0, 10);
            generator.delete(2, 5);
            assertThat(Acknowledged.read(file)).hasSize(10);
            assertThat(Acknowledged.read(file).values())
                    .filteredOn(write -> write.value().isEmpty())
                    .extracting(Write::key)
                    .containsExactly("own-2", "own-3", "own-4");

            generator.hold();
            generator.forget();
            generator.release();
            generator.insert(20, 21);

            assertThat(Acknowledged.read(file)).containsOnlyKeys("own-20");
        }
    }

    @Test
    void hints_of_a_dead_node_are_dropped() throws Exception {
        try (Coordinator coordinator = coordinator(Consistency.ONE)) {
            third.refuses = true;
            coordinator.write(BATCH);
            coordinator.change(replacing(), Map.of());

            assertThat(coordinator.hintCount()).isZero();
        }
    }

    private static void awaitWhileRunning(LoadGenerator generator, Callable<Boolean> condition) {
        await().failFast("the load has ended", () -> !generator.isRunning()).until(condition);
    }

    private Path written() throws Exception {
        Path file = temporary.resolve("acknowledged");
        try (Coordinator coordinator = coordinator(Consistency.QUORUM)) {
            LoadGenerator generator = new LoadGenerator(coordinator, Mix.of(2000), file, InstantSource.system());
            generator.start();
            awaitWhileRunning(generator, () -> generator.acknowledged() >= 500);
            assertThat(generator.stop().acknowledged()).isGreaterThanOrEqualTo(500);
        }
        return file;
    }

    private Outcome verified(Path file) throws IOException {
        Map<Node, AdminClient> clients = clients();
        clients.remove(fourth.node);
        return LoadVerification.run(LoadTable.DEFAULT, file, ring, clients);
    }

    @Test
    void after_a_run_that_failed_a_write_is_missing_only_if_no_node_has_it() throws Exception {
        Path file = written();
        String lost = "load-1";
        first.refuses = true; // as one that is dead
        second.rows.remove(lost);

        assertThat(LoadVerification.anywhere(
                                LoadTable.DEFAULT, file, List.of(), clients().values())
                        .missing())
                .isZero();

        third.rows.remove(lost);
        Outcome outcome = LoadVerification.anywhere(
                LoadTable.DEFAULT, file, List.of(), clients().values());

        assertThat(outcome.missing()).isEqualTo(1);
        assertThat(outcome.examples()).singleElement().asString().contains(lost);
    }

    @Test
    void after_a_run_that_failed_a_row_may_be_absent_if_a_later_deletion_was_not_acknowledged() throws Exception {
        Path file = written();
        all.forEach(replica -> replica.rows.keySet().removeAll(List.of("load-1", "load-2")));
        List<Write> unacknowledged = List.of(
                new Write("load-1", Long.MAX_VALUE, Optional.empty()), new Write("load-2", 1, Optional.empty()));

        Outcome outcome = LoadVerification.anywhere(
                LoadTable.DEFAULT, file, unacknowledged, clients().values());

        assertThat(outcome.missing()).isEqualTo(1);
        assertThat(outcome.examples()).singleElement().asString().contains("load-2");
    }

    @Test
    void what_all_replicas_have_is_not_missing() throws Exception {
        Outcome outcome = verified(written());

        assertThat(outcome.missing()).isZero();
        assertThat(outcome.keys()).isGreaterThan(400);
        assertThat(outcome.rowsAsked()).isEqualTo(3 * outcome.keys());
    }

    @Test
    void a_lost_an_older_and_a_changed_row_are_each_found() throws Exception {
        Path file = written();
        first.rows.remove("load-1");
        second.rows.computeIfPresent("load-2", (key, write) -> new Write(key, 1, write.value()));
        third.rows.computeIfPresent("load-3", (key, write) -> new Write(key, write.timestampMicros(), "changed"));

        Outcome outcome = verified(file);

        assertThat(outcome.missing()).isEqualTo(3);
        assertThat(outcome.examples()).hasSize(3).anyMatch(example -> example.contains("node1 has null"));
    }
}
