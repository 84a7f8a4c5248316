package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.Deadlines;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.ForwardingDisk;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk that does not answer: its plan ends with a reason all the same, and what is held goes back when it does. With
 * threads that wait; each other call that may hang, and plans that are cancelled meanwhile: {@code HangingCallsTest} of
 * the simulation.
 */
@Timeout(60)
@ExtendWith(LeakCheck.class)
@Tag("full")
class HangingDiskTest {
    private static final Duration SHORT = Duration.ofSeconds(2);
    /** That of {@link StreamingNode#close}, and what a busy machine may take for it. */
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(13);

    @TempDir
    Path temp;

    /** No file of data can be made until the test lets the disk answer, and no interruption ends that. */
    private static final class HangingDisk implements ForwardingDisk {
        private final Disk real = new FileSystemDisk();
        private final CompletableFuture<Void> answering = new CompletableFuture<>();
        final AtomicInteger hanging = new AtomicInteger();

        @Override
        public Disk real() {
            return real;
        }

        @Override
        public DiskFile create(Path file) throws IOException {
            if (file.toString().endsWith("-Data.db")) {
                hanging.incrementAndGet();
                answering.join();
            }
            return real.create(file);
        }
    }

    private static StreamOptions options() {
        return StreamOptions.builder()
                .connectionsPerHost(1)
                .deadlines(new Deadlines(Duration.ofMillis(200), SHORT, SHORT, SHORT, SHORT))
                .retries(new RetryPolicy(1, 1, SHORT, SHORT))
                .build();
    }

    @Test
    void a_plan_whose_disk_does_not_answer_ends_and_the_next_one_is_complete_when_it_does() throws Exception {
        Node source = TestTables.node("source");
        DirectoryStore sourceStore = TestTables.store(temp.resolve("source"), 1, 1 << 20);
        DirectoryStore store = TestTables.store(temp.resolve("target"), 1, 0);
        HangingDisk disk = new HangingDisk();
        try (StreamingNode sender = StreamingNode.start(source, options(), sourceStore);
                StreamingNode receiver = StreamingNode.start(TestTables.node("target"), options(), store, disk)) {
            PlanResult failed = receiver.execute(TestTables.plan(source, 0)).get(20, SECONDS);

            assertThat(disk.hanging).hasPositiveValue();
            assertThat(failed.tables().get(0).reason()).contains("TIMEOUT").contains("waited");
            assertThat(store.calls).doesNotContain("activate t0").contains("end t0");
            disk.answering.complete(null);
            PlanResult again = receiver.execute(TestTables.plan(source, 0)).get(20, SECONDS);
            assertThat(again.tables()).allMatch(PlanResult.TableResult::installed, "installed");
            await().until(() -> sender.sending().get().isEmpty()); // it may be the last to know of the end
        }
        assertThat(sourceStore.pins).hasValue(0);
        assertThat(store.calls).containsOnlyOnce("activate t0");
        assertThat(names(store.stagingDirectory())).contains("lock", "node");
    }

    @Test
    void a_node_closes_in_time_although_its_disk_does_not_answer() throws Exception {
        Node source = TestTables.node("source");
        DirectoryStore sourceStore = TestTables.store(temp.resolve("source"), 1, 1 << 20);
        DirectoryStore store = TestTables.store(temp.resolve("target"), 1, 0);
        HangingDisk disk = new HangingDisk();
        try (StreamingNode sender = StreamingNode.start(source, options(), sourceStore)) {
            StreamingNode receiver = StreamingNode.start(TestTables.node("target"), options(), store, disk);
            CompletableFuture<PlanResult> running = receiver.execute(TestTables.plan(source, 0));
            await().until(() -> disk.hanging.get() > 0);

            long began = System.nanoTime();
            receiver.close();
            Duration took = Duration.ofNanos(System.nanoTime() - began);

            assertThat(took).isLessThan(CLOSE_LIMIT);
            assertThat(running.get(20, SECONDS).isComplete()).isFalse();
            assertThat(sender.sending().get(20, SECONDS)).isNotNull();
        } finally {
            disk.answering.complete(null);
        }
    }

    /** Committed or not, nobody knows: it is neither called live nor not live, and nothing of it is taken away. */
    private static void assertUnknown(PlanResult.TableResult table) {
        assertThat(table.installed()).isFalse();
        assertThat(table.reason())
                .contains("its install has not answered for")
                .contains("the table may be committed; then it goes live when they answer or when this node restarts");
    }

    @Test
    void a_database_that_does_not_answer_keeps_no_plan_and_what_is_committed_goes_live_when_it_does() throws Exception {
        Node source = TestTables.node("source");
        DirectoryStore sourceStore = TestTables.store(temp.resolve("source"), 3, 1 << 16);
        DirectoryStore store = TestTables.store(temp.resolve("target"), 3, 0);
        CountDownLatch answering = new CountDownLatch(1);
        store.answer = table -> hang(answering);
        StreamingNode sender = StreamingNode.start(source, options(), sourceStore);
        StreamingNode receiver = StreamingNode.start(TestTables.node("target"), options(), store);
        try (sender;
                receiver) {
            PlanResult result =
                    receiver.execute(TestTables.plan(source, 0, 1, 2)).get(20, SECONDS);

            assertThat(result.tables())
                    .filteredOn(table -> table.reason().startsWith("TIMEOUT: its install has not answered for"))
                    .hasSize(1)
                    .allSatisfy(HangingDiskTest::assertUnknown);
            assertThat(result.tables())
                    .filteredOn(
                            table -> table.reason()
                                    .equals(
                                            "TIMEOUT: its install was not begun, because an earlier one did not answer in time"))
                    .hasSize(2);
            await().until(() -> sender.sending().get().isEmpty()); // it may be the last to know of the end
            assertThat(store.calls).noneMatch(call -> call.startsWith("activated"));
            answering.countDown();
            await().until(() -> store.calls.containsAll(List.of("end t0", "end t1", "end t2")));
            assertThat(store.live).hasSize(2); // both SSTables of the one table
            assertThat(store.calls)
                    .filteredOn(call -> call.startsWith("activate "))
                    .hasSize(1);
            assertThat(store.calls)
                    .filteredOn(call -> call.startsWith("activated"))
                    .hasSize(1);
            assertThat(store.calls).doesNotHaveDuplicates();
            int[] others = IntStream.range(0, 3)
                    .filter(table -> !store.calls.contains("activate t" + table))
                    .toArray();
            assertThat(receiver.execute(TestTables.plan(source, others))
                            .get(20, SECONDS)
                            .isComplete())
                    .isTrue();
        }
        assertThat(sourceStore.pins).hasValue(0);
        assertThat(store.live).hasSize(6);
    }

    private static void hang(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
