package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.Limit;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.ForwardingDisk;
import io.sluice.streaming.install.StagingArea;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node is closed: by whom, on which thread, and while what still runs. Long because each case has its own thing that
 * still runs.
 */
@Timeout(90)
@ExtendWith(LeakCheck.class)
class ClosingNodeTest {
    private static final int SOURCE_SSTABLES = 32;
    private static final Set<Thread.State> WAITING = EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

    @TempDir
    Path temp;

    /** Threads that note what no one catches. */
    private final List<Throwable> uncaught = new CopyOnWriteArrayList<>();

    private StreamOptions options() {
        return builder().build();
    }

    private StreamOptions.Builder builder() {
        return StreamOptions.builder().threads(kind -> task -> {
            Thread thread = new Thread(task, "sluice-test-" + kind);
            thread.setUncaughtExceptionHandler((any, failure) -> uncaught.add(failure));
            return thread;
        });
    }

    private StreamingNode start(String name) throws IOException {
        return StreamingNode.start(TestTables.node(name), options(), TestTables.store(temp.resolve(name), 1, 0));
    }

    private static long threads(String part) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().contains(part))
                .count();
    }

    private static void hang(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** A node with a table of many SSTables, which it sends slowly. */
    private StreamingNode slowSource(Node source) throws IOException {
        Path data = temp.resolve("source");
        Path folder = TestTables.folder(data, TestTables.table(0));
        if (TableDirectory.find(data).get(0).descriptors().isEmpty()) {
            new DataSetWriter(DataSet.ofBytes(1, 8 << 20), Version.NB, WriterOptions.DEFAULTS)
                    .write(folder, SOURCE_SSTABLES);
        }
        StreamingNode node = StreamingNode.start(source, StreamOptions.builder().build(), TestTables.store(data, 1, 0));
        node.throughput(Limit.SESSION_STREAM_THROUGHPUT_OUTBOUND, 2 << 20);
        return node;
    }

    /** A quarter of the SSTables has arrived, and the others are on their way. */
    private static void awaitQuarter(AtomicInteger arrived) throws InterruptedException {
        await().until(() -> arrived.get() >= SOURCE_SSTABLES / 4);
    }

    private static AtomicInteger arrivals(DirectoryStore store) {
        AtomicInteger arrived = new AtomicInteger();
        store.onCall = call -> {
            if (call.startsWith("arrived ")) {
                arrived.incrementAndGet();
            }
        };
        return arrived;
    }

    @Test
    void what_a_node_had_received_when_it_was_closed_is_not_fetched_again() throws Exception {
        Node source = TestTables.node("source");
        try (StreamingNode sender = slowSource(source)) {
            DirectoryStore store = TestTables.store(temp.resolve("target"), 1, 0);
            AtomicInteger arrived = arrivals(store);
            StreamingNode receiver = StreamingNode.start(TestTables.node("target"), options(), store);
            CompletableFuture<PlanResult> running = receiver.execute(TestTables.plan(source, 0));
            awaitQuarter(arrived);

            receiver.close();

            assertThat(running.get(20, SECONDS).failure())
                    .hasValueSatisfying(why -> assertThat(why.code()).isEqualTo(ErrorCode.CANCELLED));
            assertThat(store.live).isEmpty();
            sender.throughput(Limit.SESSION_STREAM_THROUGHPUT_OUTBOUND, 0);
            try (StreamingNode again = start("target")) {
                PlanResult result = again.execute(TestTables.plan(source, 0)).get(40, SECONDS);

                assertThat(result.isComplete()).isTrue();
                assertThat(again.counters().bytesReceived())
                        .isPositive()
                        .isLessThan(result.tables().get(0).bytes() / 8 * 7);
            }
        }
    }

    @Test
    void a_source_that_is_closed_and_started_again_ends_no_plan() throws Exception {
        Node source = TestTables.node("source");
        DirectoryStore store = TestTables.store(temp.resolve("target"), 1, 0);
        AtomicInteger arrived = arrivals(store);
        StreamingNode sender = slowSource(source);
        try (StreamingNode receiver = StreamingNode.start(TestTables.node("target"), options(), store)) {
            CompletableFuture<PlanResult> running = receiver.execute(TestTables.plan(source, 0));
            awaitQuarter(arrived);

            sender.close();
            try (StreamingNode again = slowSource(source)) {
                again.throughput(Limit.SESSION_STREAM_THROUGHPUT_OUTBOUND, 0);

                PlanResult result = running.get(40, SECONDS);
                assertThat(result.failure()).isEmpty();
                assertThat(again.counters().bytesSent())
                        .isPositive()
                        .isLessThan(result.tables().get(0).bytes() / 8 * 7);
            }
        } finally {
            sender.close();
        }
    }

    @Test
    void a_plan_whose_install_hangs_has_a_result_when_its_node_is_closed_and_keeps_staging_locked() throws Exception {
        Node source = TestTables.node("source");
        DirectoryStore store = TestTables.store(temp.resolve("target"), 1, 0);
        CountDownLatch answering = new CountDownLatch(1);
        store.answer = table -> hang(answering);
        try (StreamingNode sender = StreamingNode.start(
                source, StreamOptions.builder().build(), TestTables.store(temp.resolve("source"), 1, 64 << 10))) {
            StreamingNode receiver = StreamingNode.start(TestTables.node("target"), options(), store);
            CompletableFuture<PlanResult> running = receiver.execute(TestTables.plan(source, 0));
            await().until(() -> store.calls.contains("activate t0"));

            receiver.close();

            PlanResult result = running.get(20, SECONDS);
            assertThat(result.isComplete()).isFalse();
            assertThat(result.tables().get(0).reason())
                    .contains("CANCELLED")
                    .contains("the node is shutting down")
                    .contains("the table may be committed");
            assertThat(sender.counters().bytesSent()).isPositive();
            assertThatThrownBy(() -> StagingArea.open(store, new FileSystemDisk()))
                    .hasMessageContaining("in use by another process, or another node of this process");
            answering.countDown();
            await().until(() -> threads("sluice-test-INSTALL") == 0);
            await().until(() -> threads("-unlock") == 0);
            assertThat(uncaught).isEmpty();
            StagingArea.open(store, new FileSystemDisk()).close();
        } finally {
            answering.countDown();
        }
    }

    /** No file of data can be made until the test lets the disk answer. */
    private record HangingDisk(Disk real, CountDownLatch isHanging, CountDownLatch answering)
            implements ForwardingDisk {
        @Override
        public DiskFile create(Path file) throws IOException {
            if (file.toString().endsWith("-Data.db")) {
                isHanging.countDown();
                hang(answering);
            }
            return real.create(file);
        }
    }

    @Test
    void what_a_disk_answers_after_its_node_was_closed_reaches_nobody_and_harms_nothing() throws Exception {
        Node source = TestTables.node("source");
        HangingDisk disk = new HangingDisk(new FileSystemDisk(), new CountDownLatch(1), new CountDownLatch(1));
        try (StreamingNode sender = StreamingNode.start(
                        source,
                        StreamOptions.builder().build(),
                        TestTables.store(temp.resolve("source"), 1, 64 << 10));
                LogCapture log = new LogCapture()) {
            StreamingNode receiver = StreamingNode.start(
                    TestTables.node("target"), options(), TestTables.store(temp.resolve("target"), 1, 0), disk);
            CompletableFuture<PlanResult> running = receiver.execute(TestTables.plan(source, 0));
            disk.isHanging.await();

            receiver.close();

            assertThat(running.get(20, SECONDS).isComplete()).isFalse();
            assertThat(log.with("the disk did not answer")).isNotEmpty().allMatch(line -> line.contains("or retained"));
            disk.answering.countDown();
            await().until(() -> threads("sluice-test") == 0);
            assertThat(uncaught).isEmpty();
            assertThat(sender.counters().bytesReceived()).isZero();
        } finally {
            disk.answering.countDown();
        }
    }

    @Test
    void an_interrupted_thread_waits_as_any_other_and_stays_interrupted() throws Exception {
        try (BusyNode busy = new BusyNode()) {
            AtomicBoolean stayed = new AtomicBoolean();
            Thread closing =
                    busy.closing(() -> Thread.currentThread().interrupt(), () -> stayed.set(Thread.interrupted()));

            busy.finishWhenWaiting(closing);

            closing.join();
            assertThat(busy.order).containsExactly("finished", "closed");
            assertThat(stayed).isTrue();
        }
    }

    @Test
    void whoever_closes_a_node_waits_until_it_is_closed() throws Exception {
        try (BusyNode busy = new BusyNode()) {
            Thread first = busy.closing(() -> {}, () -> {});
            await().until(() -> threads("sluice-test-SESSION") == 0);
            Thread second = busy.closing(() -> {}, () -> {});

            busy.finishWhenWaiting(second);

            first.join();
            second.join();
            assertThat(busy.order).containsExactly("finished", "closed", "closed");
        }
    }

    /** A node one of whose threads is busy, so that closing it takes until the test ends that. */
    private final class BusyNode implements AutoCloseable {
        final List<String> order = new CopyOnWriteArrayList<>();
        private final CountDownLatch isAsked = new CountDownLatch(2); // the first time while the node starts
        private final CountDownLatch answering = new CountDownLatch(1);
        private final StreamingNode node;

        BusyNode() throws Exception {
            node = StreamingNode.start(
                    TestTables.node("node"),
                    builder().peers(this::blocked).build(),
                    TestTables.store(temp.resolve("node"), 1, 0));
            isAsked.await();
        }

        private List<String> blocked() {
            isAsked.countDown();
            if (isAsked.getCount() == 0) {
                try {
                    answering.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return List.of();
        }

        Thread closing(Runnable before, Runnable after) {
            Thread thread = new Thread(() -> {
                before.run();
                node.close();
                order.add("closed");
                after.run();
            });
            thread.start();
            return thread;
        }

        void finishWhenWaiting(Thread closing) {
            await().until(() -> !closing.isAlive()
                    || (threads("sluice-test-SESSION") == 0 && WAITING.contains(closing.getState())));
            order.add("finished");
            answering.countDown();
        }

        @Override
        public void close() {
            answering.countDown();
            node.close();
        }
    }

    @Test
    void an_action_of_an_answer_may_close_the_node() throws Exception {
        StreamingNode node = start("node");

        node.activity().thenAccept(activity -> node.close()).get(20, SECONDS);
        node.close();

        await().until(() -> threads("sluice-test") == 0);
        assertThat(uncaught).isEmpty();
    }

    @Test
    void an_action_of_a_result_may_close_the_node() throws Exception {
        Node source = TestTables.node("source");
        try (StreamingNode sender = StreamingNode.start(
                        source,
                        StreamOptions.builder().build(),
                        TestTables.store(temp.resolve("source"), 1, 64 << 10));
                LogCapture log = new LogCapture()) {
            StreamingNode receiver = start("target");

            receiver.execute(TestTables.plan(source, 0))
                    .thenAccept(result -> receiver.close())
                    .get(20, SECONDS);
            receiver.close();

            await().until(() -> threads("sluice-test") == 0);
            assertThat(log.with("hangs")).isEmpty();
            assertThat(sender.counters().bytesSent()).isPositive();
        }
        assertThat(uncaught).isEmpty();
    }

    /** Looks a host up until a latch opens, whatever interrupts it: as the system's resolver does. */
    private static Thread lookingUp(Runnable task, CountDownLatch begun, CountDownLatch answering) {
        return new Thread(
                () -> {
                    begun.countDown();
                    boolean isInterrupted = false;
                    while (answering.getCount() > 0) {
                        try {
                            answering.await();
                        } catch (InterruptedException e) {
                            isInterrupted = true;
                        }
                    }
                    if (isInterrupted) {
                        Thread.currentThread().interrupt();
                    }
                    task.run();
                },
                "sluice-test-look-up");
    }

    @Test
    @Tag("full")
    void a_slow_resolver_is_not_taken_for_a_disk_that_hangs() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch answering = new CountDownLatch(1);
        StreamOptions options = builder()
                .threads(kind -> task -> {
                    Thread thread = kind == StreamingNode.ThreadKind.RECEIVE
                            ? lookingUp(task, begun, answering)
                            : new Thread(task, "sluice-test-" + kind);
                    thread.setUncaughtExceptionHandler((any, failure) -> uncaught.add(failure));
                    return thread;
                })
                .build();
        Node source =
                new Node(TestTables.id("source"), "source", new Address("localhost", FreePort.onLoopback()), List.of());
        try (LogCapture log = new LogCapture();
                LogCapture netty = new LogCapture("io.netty")) {
            StreamingNode node =
                    StreamingNode.start(TestTables.node("node"), options, TestTables.store(temp.resolve("node"), 1, 0));
            CompletableFuture<PlanResult> running = node.execute(TestTables.plan(source, 0));
            begun.await();

            node.close();

            assertThat(running.get(20, SECONDS).isComplete()).isFalse();
            assertThat(log.with("hangs")).isEmpty();
            answering.countDown();
            await().until(() -> threads("sluice-test") == 0);
            assertThat(netty.with(""))
                    .as("no connection on threads that have ended")
                    .isEmpty();
        } finally {
            answering.countDown();
        }
        assertThat(uncaught).isEmpty();
    }

    @Test
    void a_closed_node_answers_that_it_is_closed() throws Exception {
        StreamingNode node = start("node");
        node.close();

        for (CompletableFuture<?> answer : List.of(node.activity(), node.sending())) {
            assertThatThrownBy(() -> answer.get(20, SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED))
                    .hasMessageContaining("closed");
        }
    }
}
