package io.sluice.streaming.install;

import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Combines concurrent syncs: callers that arrive while a sync is running share the next one, so that many small
 * SSTables need few syncs of shared files.
 *
 * <p>Thread-safe.
 */
final class SharedSync {
    private final Work work;
    private final ReentrantLock running = new ReentrantLock();
    private Round next = new Round(); // guarded by this

    SharedSync(Work work) {
        this.work = work;
    }

    /** Makes everything durable that was done before it began. */
    interface Work {
        void run() throws IOException;
    }

    private static final class Round {
        // Guarded by {@code running}.
        boolean isDone;

        @Nullable
        Throwable failure;
    }

    private synchronized Round join() {
        return next;
    }

    private synchronized void begin() {
        next = new Round();
    }

    /**
     * Returns when a sync that began after this call has ended.
     *
     * @throws IOException if the sync failed, thrown to each waiting caller; other exceptions are rethrown to each, too
     */
    void sync() throws IOException {
        Round round = join();
        running.lock();
        try {
            if (!round.isDone) {
                begin();
                run(round);
            }
            rethrow(round.failure);
        } finally {
            running.unlock();
        }
    }

    private static void rethrow(@Nullable Throwable failure) throws IOException {
        if (failure instanceof RuntimeException e) {
            throw e;
        }
        if (failure instanceof Error e) {
            throw e;
        }
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
    }

    private void run(Round round) {
        try {
            work.run();
        } catch (IOException
                | RuntimeException
                | Error e) { // any exception: no caller may consider it a successful sync
            round.failure = e;
        }
        round.isDone = true;
    }
}
