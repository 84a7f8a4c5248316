package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.Limit;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Somebody else fills the disk, a small one in memory, while a table comes: it is really full. */
@Timeout(120)
@Tag("full")
class FillerTest {
    private static final int DISK_BYTES = 32 << 20;
    private static final int TABLE_BYTES = 12 << 20;
    private static final Map<String, String> LIMITS =
            Map.of("min_free_space_per_drive", "1MiB", "staging_headroom", "0%", "staging_retained", "100%");
    private static final Duration PAUSE = Duration.ofMillis(100);

    @TempDir
    Path temp;

    private Path small = Path.of("");
    private boolean isMounted;

    private static boolean run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
    }

    @BeforeEach
    void mount() throws Exception {
        small = Files.createDirectories(temp.resolve("small"));
        isMounted = Files.isExecutable(Path.of("/bin/mount"))
                && run("/bin/mount", "-t", "tmpfs", "-o", "size=" + DISK_BYTES, "tmpfs", small.toString());
        assumeTrue(isMounted, "needs the right to mount a small disk");
    }

    @AfterEach
    void unmount() throws Exception {
        if (isMounted) {
            assertThat(run("/bin/umount", small.toString())).isTrue();
        }
    }

    private PlanResult fetch(Duration patience, boolean isRoomMade) throws Exception {
        Node source = TestTables.node("source");
        StreamOptions options = StreamOptions.builder()
                .connectionsPerHost(1)
                .settings(LIMITS)
                .retries(new RetryPolicy(2, 50, PAUSE, PAUSE, PAUSE, patience))
                .throughput(Limit.STREAM_THROUGHPUT_INBOUND, TABLE_BYTES / 2)
                .build();
        try (StreamingNode sender =
                        StreamingNode.start(source, options, TestTables.store(temp.resolve("source"), 1, TABLE_BYTES));
                StreamingNode receiver =
                        StreamingNode.start(TestTables.node("target"), options, TestTables.store(small, 1, 0))) {
            StreamPlan plan = TestTables.plan(source, 0);
            CompletableFuture<PlanResult> result = receiver.execute(plan);
            await().until(() -> receiver.counters().bytesReceived() > 0);
            Path filler = fill();
            await().until(() -> result.isDone()
                    || isPausingForRoom(receiver.progress(plan.id()).get()));
            if (isRoomMade) {
                assertThat(result).isNotDone();
                Files.delete(filler);
            }
            PlanResult ended = result.get(60, SECONDS);
            await().until(() -> sender.sending().get().isEmpty()); // it may be the last to know of the end
            return ended;
        }
    }

    /** Takes all that is left. */
    private Path fill() throws IOException {
        Path filler = small.resolve("filler");
        byte[] block = new byte[64 << 10];
        try {
            while (true) {
                Files.write(filler, block, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("No space left");
            return filler;
        }
    }

    private static boolean isPausingForRoom(List<SessionProgress> sessions) {
        return sessions.stream()
                .anyMatch(session -> session.state() == SessionProgress.State.PAUSING
                        && session.failure()
                                .filter(why -> why.code() == ErrorCode.DISK_FULL)
                                .isPresent());
    }

    @Test
    void the_plan_waits_says_so_and_is_complete_when_there_is_room_again() throws Exception {
        PlanResult result = fetch(Duration.ofSeconds(60), true);

        assertThat(result.tables()).allMatch(PlanResult.TableResult::installed, "installed");
        assertThat(result.sessions())
                .anySatisfy(session -> assertThat(session.bytesResumed())
                        .as("what was received stays")
                        .isPositive());
    }

    @Test
    void the_plan_fails_with_the_numbers_if_there_never_is() throws Exception {
        PlanResult result = fetch(Duration.ofSeconds(1), false);

        assertThat(result.tables().get(0).reason()).contains("DISK_FULL").contains(small.toString());
    }
}
