package io.sluice.netty.threads;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(30)
class WorkerPoolTest {
    private static final Duration SOON = Duration.ofMillis(20);

    /** How a factory fails once it has made some threads. */
    private enum Refusal {
        NULL,
        THROWS,
        NO_NATIVE_THREAD;

        @Nullable
        Thread thread() {
            return switch (this) {
                case NULL -> null;
                case THROWS -> throw new IllegalStateException("no more");
                case NO_NATIVE_THREAD -> throw new OutOfMemoryError("unable to create native thread");
            };
        }
    }

    /** Makes some threads, and then refuses; remembers those that it made, and what they threw. */
    private static final class Made implements ThreadFactory {
        final List<Thread> threads = new CopyOnWriteArrayList<>();
        final List<Throwable> thrown = new CopyOnWriteArrayList<>();
        private final int most;
        private final Refusal refusal;

        Made(int most, Refusal refusal) {
            this.most = most;
            this.refusal = refusal;
        }

        @Override
        @SuppressWarnings("NullAway") // as a factory of an embedder may
        public Thread newThread(Runnable task) {
            if (threads.size() >= most) {
                return refusal.thread();
            }
            Thread thread = new Thread(task);
            thread.setUncaughtExceptionHandler((who, failure) -> thrown.add(failure));
            threads.add(thread);
            return thread;
        }

        long alive() {
            return threads.stream().filter(Thread::isAlive).count();
        }
    }

    private static void end(WorkerPool pool, Made made) throws InterruptedException {
        pool.shutdown();
        assertThat(pool.awaitTermination(Duration.ofSeconds(10))).isTrue();
        await().until(() -> made.alive() == 0);
    }

    @Test
    void grows_while_tasks_would_wait_and_shrinks_when_idle() throws Exception {
        Made made = new Made(100, Refusal.NULL);
        WorkerPool pool = new WorkerPool(new WorkerPool.Size(1, 4, 100, SOON), made);
        CountDownLatch atOnce = new CountDownLatch(4);

        assertThat(made.alive()).isEqualTo(1);
        for (int i = 0; i < 4; i++) {
            pool.execute(() -> {
                atOnce.countDown();
                try {
                    atOnce.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }

        assertThat(atOnce.await(10, SECONDS))
                .as("four tasks run at the same time")
                .isTrue();
        await().until(() -> made.alive() == 1);
        end(pool, made);
    }

    @ParameterizedTest
    @EnumSource
    void runs_everything_on_the_threads_that_there_are_if_no_other_can_be_made(Refusal refusal) throws Exception {
        Made made = new Made(1, refusal);
        WorkerPool pool = new WorkerPool(new WorkerPool.Size(1, 16), made);
        AtomicInteger ran = new AtomicInteger();

        for (int i = 0; i < 1_000; i++) {
            pool.execute(ran::incrementAndGet);
        }

        await().until(() -> ran.get() == 1_000);
        assertThat(made.threads).hasSize(1);
        end(pool, made);
    }

    @Test
    void a_thread_outlives_what_its_task_throws_and_its_handler_has_it() throws Exception {
        Made made = new Made(1, Refusal.NULL);
        WorkerPool pool = new WorkerPool(new WorkerPool.Size(1, 1), made);
        CountDownLatch after = new CountDownLatch(1);

        pool.execute(() -> {
            throw new StackOverflowError("a task");
        });
        pool.execute(after::countDown);

        assertThat(after.await(10, SECONDS)).isTrue();
        assertThat(made.thrown).singleElement().isInstanceOf(StackOverflowError.class);
        end(pool, made);
    }

    @Test
    void rejects_what_would_wait_behind_too_many_and_everything_when_closed() throws Exception {
        Made made = new Made(1, Refusal.NULL);
        WorkerPool pool = new WorkerPool(new WorkerPool.Size(1, 1, 2), made);
        CountDownLatch gate = new CountDownLatch(1);

        pool.execute(() -> {
            try {
                gate.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        await().until(() -> pool.waiting() == 0);
        pool.execute(() -> {});
        pool.execute(() -> {});

        assertThatThrownBy(() -> pool.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        gate.countDown();
        end(pool, made);
        assertThatThrownBy(() -> pool.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }
}
