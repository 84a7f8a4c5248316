package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A source is closed while it prepares a session: the database gets its files back all the same. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class CloseWhilePreparingTest {
    @TempDir
    Path temp;

    @Test
    void what_is_pinned_when_the_loop_has_ended_goes_back_to_the_database() throws Exception {
        DirectoryStore from = TestTables.store(temp.resolve("source"), 1, 32 << 10);
        DirectoryStore to = TestTables.store(temp.resolve("target"), 1, 0);
        CountDownLatch isPreparing = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Node source = TestTables.node("source");
        StreamingNode sender =
                StreamingNode.start(source, StreamOptions.builder().build(), InterceptedStore.of(from, call -> {
                    if (call.equals("pin.sstables")) {
                        isPreparing.countDown();
                        goOn.await();
                    }
                }));
        try (StreamingNode receiver = StreamingNode.start(
                TestTables.node("target"), StreamOptions.builder().build(), to)) {
            StreamPlan plan = TestTables.plan(source, 0);
            CompletableFuture<PlanResult> result = receiver.execute(plan);
            assertThat(isPreparing.await(20, SECONDS)).isTrue();
            assertThat(from.pins).hasValue(1);

            CompletableFuture<Void> closed = CompletableFuture.runAsync(sender::close);
            await().until(() -> !isLoopOfSourceAlive());
            goOn.countDown();
            closed.get(30, SECONDS);

            assertThat(from.pins).hasValue(0);
            receiver.cancel(plan.id(), "the source is gone");
            assertThat(result.get(30, SECONDS).isComplete()).isFalse();
        } finally {
            goOn.countDown();
            sender.close();
        }
    }

    private static boolean isLoopOfSourceAlive() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().startsWith("sluice-source-session"));
    }
}
