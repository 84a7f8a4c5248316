package io.sluice.harness.cli;

import com.google.common.base.Throwables;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.sluice.simulation.Simulation;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongFunction;

/**
 * Runs seeds on all processors, each on one, and hands over their results in the order of the seeds. Not thread-safe.
 */
final class SeedRuns implements AutoCloseable {
    static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
    /** Of each thread, so that none waits while the run that is handed over next takes long. */
    private static final int RUNS_AHEAD = 4;

    private final LongFunction<Simulation.Result> run;
    private final long end;
    private final ExecutorService threads;
    private final Deque<CompletableFuture<Simulation.Result>> ahead = new ArrayDeque<>();
    private long next;

    /**
     * Begins.
     *
     * @param run of a seed; any thread may call it
     * @param first the first seed
     * @param count how many
     */
    SeedRuns(LongFunction<Simulation.Result> run, long first, long count) {
        this.run = run;
        this.next = first;
        this.end = first + count;
        this.threads = Executors.newFixedThreadPool(
                PROCESSORS,
                new ThreadFactoryBuilder()
                        .setNameFormat("sluice-simulate-%d")
                        .setDaemon(true)
                        .build());
    }

    /**
     * The result of the next seed, once it is there. What its run throws is thrown here.
     *
     * @throws NoSuchElementException if there is no other seed
     */
    Simulation.Result next() {
        for (; next < end && ahead.size() < PROCESSORS * RUNS_AHEAD; next++) {
            long seed = next;
            ahead.add(CompletableFuture.supplyAsync(() -> run.apply(seed), threads));
        }
        try {
            return ahead.remove().join();
        } catch (CompletionException failed) {
            Throwable thrown = failed.getCause() == null ? failed : failed.getCause();
            Throwables.throwIfUnchecked(thrown);
            throw failed;
        }
    }

    /** Ends its threads; runs that nobody waits for any more are not begun. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
