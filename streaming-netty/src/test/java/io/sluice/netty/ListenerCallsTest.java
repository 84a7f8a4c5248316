package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.plan.Operation.Priority;
import io.sluice.streaming.progress.StreamActivity;
import io.sluice.streaming.progress.StreamActivity.Direction;
import io.sluice.streaming.progress.StreamActivity.Session;
import io.sluice.streaming.progress.StreamActivity.Wait;
import io.sluice.streaming.progress.StreamActivity.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ListenerCallsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Session SESSION =
            new Session(new UUID(0, 1), new UUID(0, 2), Direction.RECEIVING, 0, 0, Instant.EPOCH);

    private final List<StreamActivity> samples = new CopyOnWriteArrayList<>();
    private final List<Wait> waits = new CopyOnWriteArrayList<>();
    private final StreamListener listener = new StreamListener() {
        @Override
        public void progress(StreamActivity activity) {
            samples.add(activity);
        }

        @Override
        public void waiting(Session session, Wait wait) {
            waits.add(wait);
        }
    };

    private static StreamActivity busy(long second) {
        return new StreamActivity(
                Instant.EPOCH.plusSeconds(second),
                List.of(new StreamActivity.Receiving(new UUID(0, 1), Priority.REPAIR, List.of())),
                List.of());
    }

    private static void tick(ListenerCalls calls, long second, Wait... waiting) {
        Map<Session, Wait> all = waiting.length == 0 ? Map.of() : Map.of(SESSION, waiting[0]);
        calls.tick(busy(second), all, second * SECOND);
    }

    private static Wait since(Waiting what, long second) {
        return new Wait(what, Instant.EPOCH.plusSeconds(second), Optional.of(Duration.ofMinutes(2)), "");
    }

    @Test
    void an_executor_that_runs_tasks_at_once_gets_each_sample() {
        try (ListenerCalls calls = new ListenerCalls(Thread::new, listener, Runnable::run)) {
            for (int second = 1; second <= 5; second++) {
                int wanted = second;
                tick(calls, second);
                await().until(() -> samples.size() == wanted);
            }
        }
    }

    @Test
    void a_sample_that_is_not_taken_yet_is_not_followed_by_others_and_a_dropped_one_is_after_a_while() {
        AtomicInteger dropped = new AtomicInteger();
        try (ListenerCalls calls = new ListenerCalls(Thread::new, listener, task -> dropped.incrementAndGet())) {
            for (int second = 1; second <= 31; second++) {
                tick(calls, second);
            }
            await().until(() -> dropped.get() == 1);

            tick(calls, 32);

            await().until(() -> dropped.get() == 2);
        }
    }

    @Test
    void a_full_queue_is_called_full() {
        CountDownLatch goOn = new CountDownLatch(1);
        Executor slow = task -> {
            try {
                goOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        try (LogCapture log = new LogCapture();
                ListenerCalls calls = new ListenerCalls(Thread::new, listener, slow)) {
            for (int i = 0; i < 10_002; i++) {
                calls.sessionOpened(SESSION);
            }
            goOn.countDown();

            assertThat(log.with("has lost 1 notifications"))
                    .singleElement()
                    .asString()
                    .contains("10000 are waiting for it");
        }
    }

    @Test
    void a_rejected_sample_is_followed_by_the_next_one() {
        AtomicInteger rejected = new AtomicInteger();
        Executor full = task -> {
            rejected.incrementAndGet();
            throw new IllegalStateException("full");
        };
        try (ListenerCalls calls = new ListenerCalls(Thread::new, listener, full)) {
            for (int second = 1; second <= 3; second++) {
                int wanted = second;
                await().until(() -> {
                    tick(calls, wanted);
                    return rejected.get() >= wanted;
                });
            }
        }
    }

    @Test
    void a_wait_is_told_once_when_it_has_lasted_and_again_when_there_is_another() {
        try (ListenerCalls calls = new ListenerCalls(Thread::new, listener, Runnable::run)) {
            for (int second = 1; second <= 25; second++) {
                tick(calls, second, since(Waiting.BYTES, 0));
            }
            tick(calls, 26, since(Waiting.BYTES, 26)); // bytes were received
            for (int second = 27; second <= 40; second++) {
                tick(calls, second, since(Waiting.BYTES, 26));
            }
            for (int second = 41; second <= 60; second++) {
                tick(calls, second, since(Waiting.INSTALL, 20));
            }
            await().until(() -> waits.size() >= 3);
        }
        assertThat(waits)
                .containsExactly(since(Waiting.BYTES, 0), since(Waiting.BYTES, 26), since(Waiting.INSTALL, 20));
    }

    @Test
    void what_nobody_takes_is_bounded_and_the_end_comes_all_the_same() {
        BlockingQueue<Runnable> room = new LinkedBlockingQueue<>(1);
        Executor blocking = task -> {
            try {
                room.put(task);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        long start = System.nanoTime();
        try (ListenerCalls calls = new ListenerCalls(Thread::new, listener, blocking)) {
            for (int i = 0; i < 100_000; i++) {
                calls.sessionOpened(SESSION);
            }
        }
        assertThat(System.nanoTime() - start).isLessThan(10 * SECOND);
        assertThat(room).as("what nobody takes").hasSize(1);
    }
}
