package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.ForwardingDisk;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Received rows need room once more, for the SSTable that is made of them. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class RowsRoomTest {
    private static final Duration PAUSE = Duration.ofMillis(50);

    @TempDir
    Path temp;

    private final AtomicBoolean isFilled = new AtomicBoolean();
    private final AtomicBoolean isFull = new AtomicBoolean();

    /** A disk that others fill when rows are received and no SSTable is made of them yet. */
    private final class FilledDisk implements ForwardingDisk {
        private final Disk real = new FileSystemDisk();

        @Override
        public Disk real() {
            return real;
        }

        @Override
        public void delete(Path path) throws IOException {
            if (path.toString().endsWith("-Data.db") && isFilled.compareAndSet(false, true)) {
                isFull.set(true);
            }
            real.delete(path);
        }

        @Override
        public long usableBytes(Path directory) throws IOException {
            return isFull.get() ? 1 << 20 : real.usableBytes(directory);
        }
    }

    private static boolean isPausingForRoom(SessionProgress session) {
        return session.state() == SessionProgress.State.PAUSING
                && session.failure()
                        .filter(why -> why.code() == ErrorCode.DISK_FULL)
                        .isPresent();
    }

    @Test
    void a_plan_waits_for_the_room_of_an_sstable_of_received_rows() throws Exception {
        Node source = TestTables.node("source");
        StreamOptions options = StreamOptions.builder()
                .streamEntireSSTables(false)
                .streamSlices(false)
                .retries(new RetryPolicy(2, 50, PAUSE, PAUSE, PAUSE, Duration.ofMinutes(1)))
                .build();
        try (StreamingNode sender =
                        StreamingNode.start(source, options, TestTables.store(temp.resolve("source"), 1, 1 << 20));
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("target"),
                        options,
                        TestTables.store(temp.resolve("target"), 1, 0),
                        new FilledDisk())) {
            StreamPlan plan = TestTables.plan(source, 0);
            CompletableFuture<PlanResult> result = receiver.execute(plan);
            await().until(() -> result.isDone()
                    || receiver.progress(plan.id()).get().stream().anyMatch(RowsRoomTest::isPausingForRoom));
            assertThat(isFilled).isTrue();
            assertThat(result).isNotDone();

            isFull.set(false);

            assertThat(result.get(30, SECONDS).tables()).allMatch(PlanResult.TableResult::installed, "installed");
            await().until(() -> sender.sending().get().isEmpty()); // it may be the last to know of the end
        }
    }
}
