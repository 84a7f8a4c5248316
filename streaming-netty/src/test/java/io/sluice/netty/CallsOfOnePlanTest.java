package io.sluice.netty;

import static io.sluice.netty.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.session.RetryPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A database that allows one call for a plan at a time, calls back from each, is slow, or fails. */
@Timeout(120)
@ExtendWith(LeakCheck.class)
class CallsOfOnePlanTest {
    private static final int TABLES = 6;

    @TempDir
    Path temp;

    private final List<PlanResult> told = new CopyOnWriteArrayList<>();

    private StreamOptions options() {
        return StreamOptions.builder()
                .connectionsPerHost(2)
                .retries(new RetryPolicy(3, 10, Duration.ofMillis(20), Duration.ofMillis(100)))
                .finished(told::add)
                .build();
    }

    /** Counts who is inside, and which threads come. */
    private static final class Automaton {
        final AtomicInteger inside = new AtomicInteger();
        final List<String> wrong = new CopyOnWriteArrayList<>();

        void enter(String call) {
            int others = inside.getAndIncrement();
            String thread = Thread.currentThread().getName();
            if (others > 0) {
                wrong.add(call + " while " + others + " others are not over");
            }
            if (thread.contains("-io-") || thread.contains("-session-")) {
                wrong.add(call + " on the network thread " + thread);
            }
        }

        void leave() {
            inside.decrementAndGet();
        }
    }

    private static StreamPlan allOf(Node source) {
        return TestTables.plan(source, IntStream.range(0, TABLES).toArray());
    }

    @Test
    void calls_for_one_plan_are_never_concurrent_nor_on_a_network_thread_and_may_call_back() throws Exception {
        Node source = TestTables.node("source");
        DirectoryStore from = TestTables.store(temp.resolve("source"), TABLES, 64 << 10);
        DirectoryStore to = TestTables.store(temp.resolve("target"), TABLES, 0);
        Automaton receiving = new Automaton();
        Automaton sending = new Automaton();
        CompletableFuture<StreamingNode> node = new CompletableFuture<>();
        StreamPlan plan = allOf(source);
        to.onCall = call -> {
            if (call.startsWith("newId")) {
                return; // a question, which may come at any time
            }
            receiving.enter(call);
            StreamingNode target = node.join();
            target.progress(plan.id()).join();
            target.pause(plan.id());
            target.resume(plan.id());
            if (target.execute(plan).isCompletedExceptionally()
                    || target.queues().isEmpty()) {
                receiving.wrong.add("what was asked in " + call + " has failed");
            }
            receiving.leave();
        };
        from.onCall = call -> {
            sending.enter(call);
            sending.leave();
        };
        try (StreamingNode sender = StreamingNode.start(source, options(), from);
                StreamingNode receiver = StreamingNode.start(TestTables.node("target"), options(), to)) {
            node.complete(receiver);

            PlanResult result = receiver.execute(plan).get(60, SECONDS);

            assertThat(result.isComplete()).isTrue();
            assertThat(sender.counters().bytesSent()).isPositive();
        }
        assertThat(receiving.wrong).isEmpty();
        assertThat(sending.wrong).isEmpty();
        assertThat(from.pins).hasValue(0);
        assertThat(to.calls).hasSize(6 * TABLES);
        assertThat(from.calls).hasSize(2 * TABLES);
        assertThat(told).hasSize(1);
    }

    @Test
    void a_call_that_fails_each_time_it_first_comes_changes_no_end() throws Exception {
        Node source = TestTables.node("source");
        DirectoryStore to = TestTables.store(temp.resolve("target"), TABLES, 0);
        Automaton receiving = new Automaton();
        List<String> failed = new CopyOnWriteArrayList<>();
        to.onCall = call -> {
            boolean isQuestion = call.startsWith("newId");
            if (!isQuestion) {
                receiving.enter(call);
                receiving.leave();
            }
            if ((call.startsWith("goLive") || call.startsWith("end")) && !failed.contains(call)) {
                failed.add(call);
                throw new IllegalStateException("a database that fails in " + call);
            }
        };
        try (StreamingNode sender =
                        StreamingNode.start(source, options(), TestTables.store(temp.resolve("source"), TABLES, 64));
                StreamingNode receiver = StreamingNode.start(TestTables.node("target"), options(), to)) {
            PlanResult result = receiver.execute(allOf(source)).get(60, SECONDS);

            assertThat(result.isComplete()).isTrue();
            assertThat(sender.sending().get()).isEmpty();
        }
        assertThat(failed).hasSize(2 * TABLES);
        assertThat(receiving.wrong).isEmpty();
        assertThat(told).hasSize(1);
    }

    @Test
    void a_slow_call_delays_its_own_plan_only() throws Exception {
        Node source = TestTables.node("source");
        DirectoryStore to = TestTables.store(temp.resolve("target"), TABLES, 0);
        CountDownLatch answer = new CountDownLatch(1);
        to.answer = table -> {
            if (!table.name().equals("t5")) {
                try {
                    answer.await();
                } catch (InterruptedException e) {
                    throw new java.io.InterruptedIOException("stopped while it was slow");
                }
            }
        };
        try (StreamingNode sender =
                        StreamingNode.start(source, options(), TestTables.store(temp.resolve("source"), TABLES, 64));
                StreamingNode receiver = StreamingNode.start(TestTables.node("target"), options(), to)) {
            CompletableFuture<PlanResult> slow = receiver.execute(TestTables.plan(source, 0, 1, 2, 3, 4));
            await().until(() -> to.calls.stream().anyMatch(call -> call.startsWith("goLive")));

            PlanResult other = receiver.execute(TestTables.plan(source, 5)).get(30, SECONDS);

            assertThat(other.isComplete()).isTrue();
            assertThat(slow).isNotDone();
            assertThat(to.calls).filteredOn(call -> call.startsWith("goLive")).hasSize(2);
            answer.countDown();
            assertThat(slow.get(30, SECONDS).isComplete()).isTrue();
            assertThat(sender.sending().get()).isEmpty();
        }
    }
}
