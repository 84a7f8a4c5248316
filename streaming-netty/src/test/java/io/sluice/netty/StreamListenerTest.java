package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.StreamActivity;
import io.sluice.streaming.progress.StreamActivity.Session;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What the embedder receives, on its own thread, and what becomes of a node whose embedder does not listen. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
@SuppressWarnings("try") // a source is there to be asked, and closed
class StreamListenerTest {
    @TempDir
    Path temp;

    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    @AfterEach
    void endThread() {
        thread.shutdownNow();
    }

    /** Writes down what it hears. */
    private static class Diary implements StreamListener {
        final List<String> heard = new CopyOnWriteArrayList<>();
        final List<StreamActivity> samples = new CopyOnWriteArrayList<>();

        private static String of(Session session) {
            return session.direction() + " " + session.number() + "/" + session.attempt();
        }

        @Override
        public void sessionOpened(Session session) {
            heard.add("opened " + of(session));
        }

        @Override
        public void sessionEnded(Session session, long bytes, Optional<PlanResult.Failure> failure) {
            heard.add("ended " + of(session) + (bytes > 0 ? " with bytes" : "")
                    + failure.map(why -> " " + why.code()).orElse(""));
        }

        @Override
        public void progress(StreamActivity activity) {
            samples.add(activity);
        }

        @Override
        public void tableLive(UUID planId, PlanResult.TableResult table) {
            heard.add("live " + table.table());
        }

        @Override
        public void tableFailed(UUID planId, PlanResult.TableResult table) {
            heard.add("failed " + table.table() + " "
                    + table.failure().orElseThrow().code());
        }

        @Override
        public void planEnded(PlanResult result) {
            heard.add("plan " + result.isComplete());
        }
    }

    private StreamingNode source(Node node, StreamListener listener) throws IOException {
        return StreamingNode.start(
                node,
                StreamOptions.builder().listener(listener, thread).build(),
                TestTables.store(temp.resolve("source"), 1, 64 << 10));
    }

    private StreamingNode receiver(StreamListener listener, Executor executor) throws IOException {
        return StreamingNode.start(
                TestTables.node("receiver"),
                StreamOptions.builder().listener(listener, executor).build(),
                TestTables.store(Files.createTempDirectory(temp, "receiver"), 2, 0));
    }

    @Test
    void hears_of_sessions_at_both_ends_of_tables_and_of_the_end_in_order() throws Exception {
        Node node = TestTables.node("source");
        Diary atSource = new Diary();
        Diary atReceiver = new Diary();
        try (StreamingNode source = source(node, atSource);
                StreamingNode receiver = receiver(atReceiver, thread)) {
            PlanResult result = receiver.execute(TestTables.plan(node, 0, 1)).get(30, SECONDS);

            await().until(() -> atReceiver.heard.contains("plan false"));
            await().until(() -> atSource.heard.size() == 2);
            assertThat(atReceiver.heard).first().isEqualTo("opened RECEIVING 0/0");
            assertThat(atReceiver.heard)
                    .containsSubsequence("opened RECEIVING 0/0", "ended RECEIVING 0/0 with bytes", "plan false")
                    .contains("live ks.t0", "failed ks.t1 UNKNOWN_TABLE")
                    .hasSize(5)
                    .last()
                    .isEqualTo("plan false");
            assertThat(atSource.heard).containsExactly("opened SENDING 0/0", "ended SENDING 0/0 with bytes");
            assertThat(result.failure()).map(PlanResult.Failure::code).contains(ErrorCode.UNKNOWN_TABLE);
            assertThat(result.failure().orElseThrow().peer()).contains(node.id());
        }
    }

    @Test
    void hears_of_progress_each_second_while_something_streams_and_once_more() throws Exception {
        Node node = TestTables.node("source");
        Diary diary = new Diary();
        DirectoryStore slow = TestTables.store(temp.resolve("receiver"), 1, 0);
        CountDownLatch released = new CountDownLatch(1);
        slow.answer = table -> {
            try {
                released.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        try (StreamingNode source = source(node, new StreamListener() {});
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("receiver"),
                        StreamOptions.builder().listener(diary, thread).build(),
                        slow)) {
            var running = receiver.execute(TestTables.plan(node, 0));
            await().until(() -> diary.samples.size() >= 2);
            released.countDown();
            running.get(30, SECONDS);

            await().until(() ->
                    diary.samples.get(diary.samples.size() - 1).receiving().isEmpty());
            StreamActivity first = diary.samples.get(0);
            StreamActivity next = diary.samples.get(1);
            assertThat(first.receiving()).hasSize(1);
            assertThat(next.time())
                    .isBetween(first.time().plusMillis(900), first.time().plusSeconds(5));
            assertThat(source.activity().get(10, SECONDS).receiving()).isEmpty();
        }
    }

    @Test
    void an_executor_that_rejects_drops_blocks_or_a_listener_that_throws_stops_nothing() throws Exception {
        Node node = TestTables.node("source");
        CountDownLatch never = new CountDownLatch(1);
        List<Executor> bad = List.of(
                task -> {
                    throw new RejectedExecutionException("no");
                },
                task -> {},
                task -> {
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
        try (StreamingNode source = source(node, new StreamListener() {
            @Override
            public void sessionOpened(Session session) {
                throw new AssertionError("boom");
            }
        })) {
            for (Executor executor : bad) {
                try (StreamingNode receiver = receiver(new Diary(), executor)) {
                    PlanResult result =
                            receiver.execute(TestTables.plan(node, 0)).get(20, SECONDS);
                    assertThat(result.isComplete()).as("%s", result.tables()).isTrue();
                }
            }
        }
    }
}
