package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.streaming.Limit;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.Operation.Priority;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.StreamActivity;
import io.sluice.streaming.progress.StreamActivity.Waiting;
import io.sluice.streaming.ring.Node;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Plans that wait for the same slot at a source. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class PrioritiesTest {
    @TempDir
    Path temp;

    private static StreamPlan repair(Node source, int table) {
        return new StreamPlan(
                UUID.randomUUID(),
                Operation.REPAIR,
                TestTables.plan(source, table).requests());
    }

    private static StreamActivity.Receiving plan(StreamingNode node, UUID id) {
        return node.activity().join().receiving().stream()
                .filter(plan -> plan.planId().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static Optional<String> waitsForSlot(StreamingNode node, UUID id) {
        return node.activity().join().receiving().stream() // a plan that was just given may not be there yet
                .filter(plan -> plan.planId().equals(id))
                .flatMap(plan -> plan.sessions().stream())
                .flatMap(session -> session.waitingFor().stream())
                .filter(wait -> wait.what() == Waiting.SLOT)
                .map(StreamActivity.Wait::detail)
                .findFirst();
    }

    @Test
    void a_plan_that_is_made_urgent_is_next_and_those_behind_it_say_so() throws Exception {
        Node source = TestTables.node("source");
        StreamOptions options =
                StreamOptions.builder().set("streaming_sessions_per_peer", "1").build();
        // The source takes more: it may see the end of a session after the next one begins.
        StreamOptions ofSource = StreamOptions.builder().build();
        try (StreamingNode sender =
                        StreamingNode.start(source, ofSource, TestTables.store(temp.resolve("source"), 3, 1 << 20));
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("target"), options, TestTables.store(temp.resolve("target"), 3, 0))) {
            StreamPlan running = repair(source, 0);
            StreamPlan first = repair(source, 1);
            StreamPlan urgent = repair(source, 2);
            receiver.throughput(Limit.STREAM_THROUGHPUT_INBOUND, 32 << 10); // it does not end by itself
            CompletableFuture<PlanResult> unused = receiver.execute(running);
            await().until(() -> receiver.counters().bytesReceived() > 0); // it has the slot
            CompletableFuture<PlanResult> second = receiver.execute(first);
            await().until(() -> waitsForSlot(receiver, first.id()).isPresent());
            CompletableFuture<PlanResult> next = receiver.execute(urgent);
            await().until(() -> waitsForSlot(receiver, urgent.id()).isPresent());
            assertThat(waitsForSlot(receiver, urgent.id()).orElseThrow()).contains("after 1 other");
            assertThat(plan(receiver, urgent.id()).priority()).isEqualTo(Priority.REPAIR);

            receiver.prioritize(urgent.id(), Priority.REPLACE);

            await().until(() -> plan(receiver, urgent.id()).priority() == Priority.REPLACE);
            assertThat(waitsForSlot(receiver, urgent.id()).orElseThrow()).contains("is the next (priority replace)");
            assertThat(waitsForSlot(receiver, first.id()).orElseThrow()).contains("after 1 other", "priority: repair");
            receiver.cancel(running.id(), "the slot is needed");
            assertThat(unused.get(30, SECONDS).isComplete()).isFalse();
            receiver.throughput(Limit.STREAM_THROUGHPUT_INBOUND, 0);
            PlanResult before = next.get(30, SECONDS);
            PlanResult after = second.get(30, SECONDS);
            assertThat(before.isComplete()).isTrue();
            assertThat(after.isComplete()).isTrue();
            assertThat(before.ended()).as("one session at a time").isBeforeOrEqualTo(after.ended());
            assertThat(sender.obsoletePinnedBytes()).isZero();
        }
    }
}
