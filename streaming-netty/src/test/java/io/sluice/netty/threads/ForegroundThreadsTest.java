package io.sluice.netty.threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which threads are asked how long they wait, and when; their files are as Linux has them. */
class ForegroundThreadsTest {
    private static final Path REAL = Path.of("/proc/self/task");
    private static final int RUNS = 1_000;
    private static final long TOO_LONG = 300_000_000; // of so many runs together

    @TempDir
    private Path tasks = Path.of("");

    private final OwnThreads own = new OwnThreads();
    private final AtomicLong moved = new AtomicLong();
    private final AtomicLong nanos = new AtomicLong();

    private ForegroundThreads threads() {
        return new ForegroundThreads(own, tasks, moved::get, nanos::get);
    }

    private void thread(int number, String name, String schedstat) throws IOException {
        Path folder = Files.createDirectories(tasks.resolve(Integer.toString(number)));
        Files.writeString(folder.resolve("comm"), name + "\n");
        Files.writeString(folder.resolve("schedstat"), schedstat + "\n");
    }

    /** Looks, while bytes move; a thread of this name has waited too long since the look before. */
    private boolean isOverloadedBy(String name) throws IOException {
        ForegroundThreads threads = threads();
        thread(5, name, "1 0 0");
        look(threads);
        thread(5, name, "1 " + TOO_LONG + " " + RUNS);
        look(threads);
        return threads.isOverloaded();
    }

    private void look(ForegroundThreads threads) {
        moved.incrementAndGet();
        nanos.addAndGet(ForegroundThreads.PERIOD.toNanos());
        threads.look();
    }

    @Test
    void threads_of_the_database_count() throws IOException {
        assertThat(isOverloadedBy("ReadStage-1")).isTrue();
    }

    @Test
    void threads_of_the_virtual_machine_do_not() throws IOException {
        assertThat(isOverloadedBy("C2 CompilerThre")).isFalse();
        assertThat(isOverloadedBy("GC Thread#0")).isFalse();
        assertThat(isOverloadedBy("VM Thread")).isFalse();
    }

    @Test
    void while_nothing_moves_nobody_looks_and_nothing_is_overloaded() throws IOException {
        ForegroundThreads threads = threads();
        thread(5, "reads", "1 0 0");
        look(threads);
        thread(5, "reads", "1 " + TOO_LONG + " " + RUNS);
        look(threads);
        assertThat(threads.isOverloaded()).isTrue();
        assertThat(threads.isDue()).isTrue();

        nanos.addAndGet(ForegroundThreads.PERIOD.toNanos());
        threads.look();

        assertThat(threads.isOverloaded()).isFalse();
        assertThat(threads.isDue()).isFalse();
        moved.incrementAndGet();
        assertThat(threads.isDue()).isTrue();
    }

    @Test
    void a_thread_that_ends_between_the_list_and_the_question_is_left_out() throws IOException {
        Files.createDirectories(tasks.resolve("6")); // its files are gone
        assertThat(isOverloadedBy("reads")).isTrue();
    }

    @Test
    void where_there_are_no_such_files_nothing_is_overloaded() throws IOException {
        ForegroundThreads threads = threads();
        thread(5, "reads", "1 0 0");
        look(threads);
        thread(5, "reads", "counted no more");
        look(threads);
        assertThat(threads.isOverloaded()).isFalse();

        tasks = tasks.resolve("none");
        ForegroundThreads none = threads();
        look(none);
        assertThat(none.isOverloaded()).isFalse();
    }

    @Test
    void looking_takes_a_hundredth_of_the_time_at_most() throws IOException {
        AtomicInteger looks = new AtomicInteger();
        ForegroundThreads threads = new ForegroundThreads(own, tasks, moved::get, () -> {
            return nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(10)); // each time that the clock is read
        });
        thread(5, "reads", "1 0 0");
        for (int i = 0; i < 200; i++) {
            long before = nanos.get();
            moved.incrementAndGet();
            threads.look();
            looks.addAndGet(nanos.get() - before > TimeUnit.MILLISECONDS.toNanos(10) ? 1 : 0);
        }

        assertThat(looks.get()).isBetween(2, 3); // one a second, of two
    }

    @Test
    void threads_that_sluice_has_started_do_not_count_and_others_do() throws Exception {
        assumeThat(Files.isDirectory(REAL)).as("Linux").isTrue();
        CountDownLatch isOver = new CountDownLatch(1);
        CountDownLatch isRunning = new CountDownLatch(1);
        Thread ours = own.counting(Thread::new).newThread(() -> {
            isRunning.countDown();
            awaitOver(isOver);
        });
        ours.start();
        isRunning.await();

        assertThat(ownOnes()).isEqualTo(1);
        isOver.countDown();
        ours.join();
        assertThat(ownOnes()).isZero();
    }

    private static void awaitOver(CountDownLatch isOver) {
        try {
            isOver.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private long ownOnes() throws IOException {
        try (var all = Files.list(REAL)) {
            return all.filter(task ->
                            own.contains(Integer.parseInt(task.getFileName().toString())))
                    .count();
        }
    }
}
