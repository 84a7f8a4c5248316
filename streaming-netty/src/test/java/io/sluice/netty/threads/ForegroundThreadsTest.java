package io.sluice.netty.threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
        threads.tick(Runnable::run);
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

        threads.tick(Runnable::run);
        assertThat(threads.isOverloaded()).isFalse();

        threads.tick(look -> {
            throw new AssertionError("nothing moves");
        });
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

    @ParameterizedTest
    @CsvSource({"1, 20", "400, 20", "1200, 7"}) // of ten seconds
    void many_threads_are_looked_at_less_often(int threadCount, int expectedLooks) throws IOException {
        AtomicInteger looks = new AtomicInteger();
        ForegroundThreads threads = threads();
        for (int number = 1; number <= threadCount; number++) {
            thread(number, "reads", "1 0 0");
        }
        for (int tick = 0; tick < 20; tick++) {
            nanos.addAndGet(ForegroundThreads.PERIOD.toNanos());
            moved.incrementAndGet();
            threads.tick(look -> {
                looks.incrementAndGet();
                nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(50)); // a busy machine
                look.run();
            });
        }
        assertThat(looks.get()).isEqualTo(expectedLooks);
    }

    @Test
    void a_look_that_has_not_ended_is_not_begun_again() throws IOException {
        List<Runnable> handedOver = new ArrayList<>();
        ForegroundThreads threads = threads();
        for (int tick = 0; tick < 5; tick++) {
            nanos.addAndGet(ForegroundThreads.PERIOD.toNanos());
            moved.incrementAndGet();
            threads.tick(handedOver::add);
        }
        assertThat(handedOver).hasSize(1);

        handedOver.get(0).run();
        nanos.addAndGet(ForegroundThreads.PERIOD.toNanos());
        moved.incrementAndGet();
        threads.tick(handedOver::add);
        assertThat(handedOver).hasSize(2);
    }

    @Test
    void threads_that_sluice_has_started_do_not_count() throws Exception {
        assumeThat(Files.isDirectory(REAL)).as("Linux").isTrue();
        CountDownLatch isOver = new CountDownLatch(1);
        CountDownLatch isRunning = new CountDownLatch(1);
        Thread ours = own.counting(Thread::new).newThread(() -> {
            isRunning.countDown();
            awaitOver(isOver);
        });
        ours.start();
        isRunning.await();
        int number = ownNumber();
        ForegroundThreads threads = threads();
        thread(number, "sluice-1", "1 0 0");
        look(threads);
        thread(number, "sluice-1", "1 " + TOO_LONG + " " + RUNS);
        look(threads);
        assertThat(threads.isOverloaded()).isFalse();

        isOver.countDown();
        ours.join();
        thread(number, "sluice-1", "1 0 0");
        look(threads);
        thread(number, "sluice-1", "1 " + TOO_LONG + " " + RUNS);
        look(threads);
        assertThat(threads.isOverloaded())
                .as("a number may be another thread's later")
                .isTrue();
    }

    private static void awaitOver(CountDownLatch isOver) {
        try {
            isOver.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private int ownNumber() throws IOException {
        try (Stream<Path> all = Files.list(REAL)) {
            return all.mapToInt(task -> Integer.parseInt(task.getFileName().toString()))
                    .filter(own::contains)
                    .findFirst()
                    .orElseThrow();
        }
    }
}
