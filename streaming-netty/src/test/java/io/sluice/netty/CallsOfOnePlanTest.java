package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A database that allows one call for a plan at a time, and calls back from each. One that is slow, or fails:
 * {@code DatabaseCallsTest} and {@code HangingCallsTest} of the simulation.
 */
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
                .listener(Results.to(told::add), Runnable::run)
                .build();
    }

    /** Counts who is inside, and which threads come. */
    private static final class Automaton {
        final AtomicInteger inside = new AtomicInteger();
        final List<String> wrong = new CopyOnWriteArrayList<>();

        void enter(String call) {
            int others = inside.getAndIncrement();
            if (others > 0) {
                wrong.add(call + " while " + others + " others are not over");
            }
            requireThread(call);
        }

        void requireThread(String call) {
            String thread = Thread.currentThread().getName();
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
            boolean isBesideOthers = call.startsWith("arrived"); // by contract
            if (isBesideOthers) {
                receiving.requireThread(call);
            } else {
                receiving.enter(call);
            }
            StreamingNode target = node.join();
            target.progress(plan.id()).join();
            target.pause(plan.id());
            target.resume(plan.id());
            if (target.execute(plan).isCompletedExceptionally()
                    || target.queues().isEmpty()) {
                receiving.wrong.add("what was asked in " + call + " has failed");
            }
            if (!isBesideOthers) {
                receiving.leave();
            }
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
}
