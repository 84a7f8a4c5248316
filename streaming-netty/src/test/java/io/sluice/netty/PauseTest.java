package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.streaming.Limit;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.StreamActivity.Waiting;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A plan that is paused by hand. That it stays so for longer than any deadline, and goes on where it was:
 * {@code PausedPlanTest} of the simulation.
 */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class PauseTest {
    @TempDir
    Path temp;

    private final StreamOptions options = StreamOptions.builder().build();

    private StreamingNode sender(Node source) throws IOException {
        return StreamingNode.start(source, options, TestTables.store(temp.resolve("source"), 1, 1 << 20));
    }

    private StreamingNode receiver() throws IOException {
        return StreamingNode.start(TestTables.node("target"), options, TestTables.store(temp.resolve("target"), 1, 0));
    }

    @Test
    void a_paused_plan_can_be_cancelled() throws Exception {
        Node source = TestTables.node("source");
        try (StreamingNode sender = sender(source);
                StreamingNode receiver = receiver()) {
            StreamPlan plan = TestTables.plan(source, 0);
            CompletableFuture<PlanResult> result = receiver.execute(plan);
            receiver.pause(plan.id());
            receiver.cancel(plan.id(), "enough");

            assertThat(result.get(10, SECONDS).tables().get(0).reason()).contains("CANCELLED: enough");
            assertThat(sender.obsoletePinnedBytes()).isZero();
        }
    }

    @Test
    void a_pause_right_after_the_plan_is_given_is_not_lost() throws Exception {
        Node source = TestTables.node("source");
        try (StreamingNode sender = sender(source);
                StreamingNode receiver = receiver()) {
            receiver.throughput(Limit.STREAM_THROUGHPUT_INBOUND, 32 << 10); // it does not end before it is paused
            StreamPlan plan = TestTables.plan(source, 0);
            CompletableFuture<PlanResult> result = receiver.execute(plan);
            receiver.pause(plan.id());

            await().until(() -> receiver.activity().join().receiving().stream()
                    .flatMap(running -> running.sessions().stream())
                    .flatMap(session -> session.waitingFor().stream())
                    .anyMatch(wait -> wait.what() == Waiting.RESUME));
            assertThat(result).isNotDone();
            receiver.throughput(Limit.STREAM_THROUGHPUT_INBOUND, 0);
            receiver.resume(plan.id());

            assertThat(result.get(30, SECONDS).isComplete()).isTrue();
            assertThat(sender.obsoletePinnedBytes()).isZero();
        }
    }
}
