package io.sluice.harness.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.load.LoadTable.Write;
import io.sluice.harness.load.LoadVerification.Outcome;
import io.sluice.streaming.ring.Membership;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
        return new Coordinator(consistency, ring, clients());
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
    void hints_of_a_dead_node_are_dropped() throws Exception {
        try (Coordinator coordinator = coordinator(Consistency.ONE)) {
            third.refuses = true;
            coordinator.write(BATCH);
            coordinator.change(replacing(), Map.of());

            assertThat(coordinator.hintCount()).isZero();
        }
    }

    private Path written() throws Exception {
        Path file = temporary.resolve("acknowledged");
        try (Coordinator coordinator = coordinator(Consistency.QUORUM)) {
            LoadGenerator generator = new LoadGenerator(coordinator, 2000, file, InstantSource.system());
            generator.start();
            while (generator.acknowledged() < 500) {
                assertThat(generator.isRunning()).isTrue();
                Thread.onSpinWait();
            }
            assertThat(generator.stop().acknowledged()).isGreaterThanOrEqualTo(500);
        }
        return file;
    }

    private Outcome verified(Path file) throws IOException {
        Map<Node, AdminClient> clients = clients();
        clients.remove(fourth.node);
        return LoadVerification.run(file, ring, clients);
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
