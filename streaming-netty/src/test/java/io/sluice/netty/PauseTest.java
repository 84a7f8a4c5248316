package io.sluice.netty;

import static io.sluice.netty.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.session.Deadlines;
import io.sluice.streaming.session.RetryPolicy;
import io.sluice.streaming.throttle.Limit;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A plan that is paused by hand stays so for longer than any deadline, and then goes on where it was. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
@Tag("full")
class PauseTest {
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final long SLOW = 2 << 20;

    @TempDir
    Path temp;

    @Test
    void longer_than_every_deadline_and_then_to_the_end_in_the_same_session() throws Exception {
        Node source = TestTables.node("source");
        StreamOptions options = StreamOptions.builder()
                .connectionsPerHost(1)
                .deadlines(new Deadlines(Duration.ofMillis(100), SHORT, SHORT, SHORT, SHORT))
                .retries(new RetryPolicy(1, 1, SHORT, SHORT))
                .throughput(Limit.STREAM_THROUGHPUT_INBOUND, SLOW)
                .build();
        try (StreamingNode sender =
                        StreamingNode.start(source, options, TestTables.store(temp.resolve("source"), 1, 40 << 20));
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("target"), options, TestTables.store(temp.resolve("target"), 1, 0))) {
            StreamPlan plan = TestTables.plan(source, 0);
            CompletableFuture<PlanResult> result = receiver.execute(plan);
            await().until(() -> progress(receiver, plan).bytesReceived() > 0);
            receiver.pause(plan.id());
            receiver.pause(plan.id());
            receiver.throughput(Limit.STREAM_THROUGHPUT_INBOUND, 0); // what is on its way comes at once
            long before = -1;
            for (long now = 0; now != before; now = progress(receiver, plan).bytesReceived()) {
                before = now;
                Thread.sleep(500);
            }
            Thread.sleep(2 * SHORT.toMillis());

            SessionProgress paused = progress(receiver, plan);
            assertThat(paused.bytesReceived()).isEqualTo(before).isLessThan(paused.bytesTotal());
            assertThat(paused.waitingFor()).contains("paused by hand");
            assertThat(result).isNotDone();
            assertThat(sender.sending().get()).hasSize(1);

            receiver.resume(plan.id());
            assertThat(result.get(30, SECONDS).tables()).allMatch(PlanResult.TableResult::installed, "installed");
            receiver.pause(plan.id()); // no effect on one that has ended
        }
    }

    private static SessionProgress progress(StreamingNode node, StreamPlan plan) throws Exception {
        while (true) {
            for (SessionProgress session : node.progress(plan.id()).get()) {
                return session;
            }
        }
    }

    @Test
    void a_paused_plan_can_be_cancelled() throws Exception {
        Node source = TestTables.node("source");
        StreamOptions options = StreamOptions.builder().build();
        try (StreamingNode sender =
                        StreamingNode.start(source, options, TestTables.store(temp.resolve("source"), 1, 1 << 20));
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("target"), options, TestTables.store(temp.resolve("target"), 1, 0))) {
            StreamPlan plan = TestTables.plan(source, 0);
            CompletableFuture<PlanResult> result = receiver.execute(plan);
            receiver.pause(plan.id());
            receiver.cancel(plan.id(), "enough");

            assertThat(result.get(10, SECONDS).tables().get(0).reason()).contains("CANCELLED: enough");
            assertThat(sender.obsoletePinnedBytes()).isZero();
        }
    }
}
