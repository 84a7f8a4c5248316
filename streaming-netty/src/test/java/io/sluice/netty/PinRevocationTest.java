package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.Limit;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The database of a source takes back what it has pinned while it is sent. A table that is not to be had again:
 * {@code RevokedPinsTest} of the simulation.
 */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class PinRevocationTest {
    private static final long SLOW = 4 << 20;

    @TempDir
    Path temp;

    private static StreamOptions options() {
        return StreamOptions.builder()
                .retries(new RetryPolicy(3, 10, Duration.ofMillis(20), Duration.ofMillis(100)))
                .throughput(Limit.STREAM_THROUGHPUT_INBOUND, SLOW)
                .build();
    }

    /** Fetches two tables; in the middle of it the first one is taken back. */
    private PlanResult fetchTwo(DirectoryStore from, DirectoryStore to) throws Exception {
        Node source = TestTables.node("source");
        StreamPlan plan = TestTables.plan(source, 0, 1);
        try (StreamingNode sender = StreamingNode.start(source, options(), from);
                StreamingNode receiver = StreamingNode.start(TestTables.node("target"), options(), to)) {
            CompletableFuture<PlanResult> result = receiver.execute(plan);
            await().until(() ->
                    receiver.progress(plan.id()).get().stream().anyMatch(session -> session.bytesReceived() > 0));

            sender.revokePins(TestTables.table(0), "its files are rewritten").get(10, SECONDS);

            assertThat(from.calls).contains("unpin t0");
            PlanResult end = result.get(30, SECONDS);
            await().until(() -> sender.sending().get().isEmpty());
            return end;
        }
    }

    private static void assertEachPinIsGivenBackOnce(DirectoryStore store) {
        assertThat(store.pins).hasValue(0);
        for (String table : new String[] {"t0", "t1"}) {
            assertThat(Collections.frequency(store.calls, "unpin " + table))
                    .isEqualTo(Collections.frequency(store.calls, "pin " + table));
        }
    }

    @Test
    void it_is_pinned_anew_and_all_is_installed() throws Exception {
        DirectoryStore from = TestTables.store(temp.resolve("source"), 2, 4 << 20);
        DirectoryStore to = TestTables.store(temp.resolve("target"), 2, 0);

        PlanResult result = fetchTwo(from, to);

        assertThat(result.isComplete()).isTrue();
        assertThat(to.live).hasSize(4); // two of each table
        assertThat(Collections.frequency(from.calls, "pin t0")).isEqualTo(2);
        assertEachPinIsGivenBackOnce(from);
    }
}
