package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** One that is slow, a peer or a table, keeps no other from being done. */
@Timeout(180)
@ExtendWith(LeakCheck.class)
@Tag("full")
class NobodyWaitsForOthersTest {
    private static final StreamOptions OPTIONS =
            StreamOptions.builder().connectionsPerHost(1).build();

    @TempDir
    Path temp;

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private DirectoryStore store(String name, int tables, long bytesOfEach) throws IOException {
        return TestTables.store(temp.resolve(name), tables, bytesOfEach);
    }

    private StreamingNode start(Node node, DirectoryStore store) throws IOException {
        StreamingNode started = StreamingNode.start(node, OPTIONS, store);
        open.add(0, started);
        return started;
    }

    private static CompletableFuture<PlanResult> fetch(StreamingNode node, UUID plan, Node source, int... tables) {
        List<StreamRequest> requests = new ArrayList<>();
        for (int table : tables) {
            requests.add(new StreamRequest(source, TestTables.table(table), TokenRanges.FULL));
        }
        return node.execute(new StreamPlan(plan, Operation.REPLACE, requests));
    }

    @Test
    void five_plans_whose_tables_go_live_slowly_keep_no_sixth_from_landing() throws Exception {
        Node source = TestTables.node("source");
        start(source, store("source", 6, 64 << 10));
        DirectoryStore targetStore = store("target", 6, 0);
        CountDownLatch answer = new CountDownLatch(1);
        targetStore.answer = table -> {
            try {
                answer.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        };
        StreamingNode target = start(TestTables.node("target"), targetStore);
        List<CompletableFuture<PlanResult>> five = new ArrayList<>();
        for (int table = 0; table < 5; table++) {
            five.add(fetch(target, UUID.randomUUID(), source, table));
        }
        // four wait for the database, the fifth for one of them
        await().until(() -> targetStore.calls.stream()
                        .filter(call -> call.startsWith("activate "))
                        .count()
                >= 4);

        UUID plan = UUID.randomUUID();
        CompletableFuture<PlanResult> sixth = fetch(target, plan, source, 5);
        SessionProgress landed;
        do {
            landed = target.progress(plan).get(20, SECONDS).stream().findFirst().orElse(null);
        } while (landed == null || landed.state() != SessionProgress.State.WAIT_INSTALL);

        assertThat(landed.bytesReceived()).isEqualTo(landed.bytesTotal()).isPositive();
        assertThat(five).noneMatch(CompletableFuture::isDone);
        assertThat(sixth).isNotDone();
        answer.countDown();
        for (CompletableFuture<PlanResult> one : five) {
            assertThat(one.get(30, SECONDS).isComplete()).isTrue();
        }
        assertThat(sixth.get(30, SECONDS).isComplete()).isTrue();
    }

    @Test
    void a_source_that_cannot_be_reached_fails_what_it_alone_has_and_nothing_else() throws Exception {
        Node source = TestTables.node("source");
        start(source, store("source", 2, 64 << 10));
        Node gone = TestTables.node("gone"); // nobody listens there
        DirectoryStore targetStore = store("target", 2, 0);
        StreamingNode target = start(TestTables.node("target"), targetStore);
        List<StreamRequest> requests = List.of(
                new StreamRequest(source, TestTables.table(0), TokenRanges.FULL),
                new StreamRequest(gone, TestTables.table(1), TokenRanges.FULL));
        UUID plan = UUID.randomUUID();
        CompletableFuture<PlanResult> result = target.execute(new StreamPlan(plan, Operation.REPLACE, requests));
        // long before the other one is abandoned
        await().until(() -> targetStore.calls.contains("activated t0"));
        assertThat(result).isNotDone();

        PlanResult ended = result.get(60, SECONDS);
        assertThat(ended.tables())
                .anyMatch(table -> table.table().equals(TestTables.table(0)) && table.installed())
                .anyMatch(table -> table.table().equals(TestTables.table(1))
                        && table.reason().contains("PEER_LOST: ")
                        && table.reason().contains("gone"));
    }

    @Test
    void seven_peers_are_done_while_an_eighth_reads_nothing() throws Exception {
        Node source = TestTables.node("source");
        start(source, store("source", 1, 4 << 20));
        FaultProxy proxy = new FaultProxy(source.address(), (extent, time) -> FaultProxy.Fault.HOLD);
        open.add(proxy);
        StreamingNode slow = start(TestTables.node("slow"), store("slow", 1, 0));
        CompletableFuture<PlanResult> held =
                fetch(slow, UUID.randomUUID(), new Node(source.id(), source.name(), proxy.address(), List.of()), 0);
        proxy.awaitHeld();

        List<CompletableFuture<PlanResult>> others = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            StreamingNode target = start(TestTables.node("target" + i), store("target" + i, 1, 0));
            others.add(fetch(target, UUID.randomUUID(), source, 0));
        }

        for (CompletableFuture<PlanResult> other : others) {
            assertThat(other.get(60, SECONDS).isComplete()).isTrue();
        }
        assertThat(held).isNotDone();
    }
}
