package io.sluice.streaming.install;

import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A sync that serves all who ask for it at the same time: who comes while one is running waits for the next one, with
 * everybody else who came meanwhile. So many small SSTables cost few syncs of what they share.
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

    /** What makes durable all that was done before it began. */
    interface Work {
        void run() throws IOException;
    }

    private static final class Round {
        // Guarded by running.
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
     * @throws IOException if it has failed, to each who waited for it; what else it threw is thrown to each as it is
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
        } catch (IOException | RuntimeException | Error e) { // whatever it is: nobody may take it for a sync
            round.failure = e;
        }
        round.isDone = true;
    }
}
