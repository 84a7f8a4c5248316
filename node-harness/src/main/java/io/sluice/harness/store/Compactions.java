package io.sluice.harness.store;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Compacts in the background, one table at a time. Thread-safe; owns its thread. */
final class Compactions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Compactions.class);
    private static final long CLOSE_SECONDS = 60;

    private final CompactionStrategy strategy;
    private final ReentrantLock running = new ReentrantLock();
    private volatile boolean isClosed;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread made = new Thread(task, "sluice-compaction");
        made.setDaemon(true);
        return made;
    });

    Compactions(CompactionStrategy strategy) {
        this.strategy = strategy;
    }

    /** Checks soon whether there is something to compact. */
    void request(List<StoredTable> tables) {
        if (strategy == CompactionStrategy.NONE) {
            return;
        }
        try {
            thread.execute(() -> tables.forEach(this::runQuietly));
        } catch (RejectedExecutionException closed) {
            LOG.debug("no compaction: the store is closed");
        }
    }

    private void runQuietly(StoredTable table) {
        try {
            run(table, strategy);
        } catch (InterruptedIOException closed) {
            LOG.info("{}", closed.getMessage());
        } catch (IOException | RuntimeException e) {
            LOG.error("compaction of {} failed; keeping its inputs, the next flush retries it", table.ref(), e);
        }
    }

    /** Runs {@code step} while no compaction runs; first waits for a running compaction. */
    void pause(IncomingStreams.Step step) throws IOException {
        running.lock();
        try {
            step.run();
        } finally {
            running.unlock();
        }
    }

    /**
     * Compacts until nothing is left to do.
     *
     * @throws InterruptedIOException if the store is closed meanwhile
     */
    void run(StoredTable table, CompactionStrategy by) throws IOException {
        running.lock();
        try {
            by.begin(table.candidates());
            boolean hasMore = true;
            while (hasMore && !isClosed) {
                hasMore = table.compact(by, () -> isClosed);
            }
        } finally {
            running.unlock();
        }
    }

    @Override
    public void close() {
        isClosed = true;
        thread.shutdown();
        try {
            if (!thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn(
                        "a compaction did not finish within {} s; the next start removes its unfinished files",
                        CLOSE_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
