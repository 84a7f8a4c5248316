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
        IOException failure;
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
     * @throws IOException if it has failed, to each who waited for it
     */
    void sync() throws IOException {
        Round round = join();
        running.lock();
        try {
            if (!round.isDone) {
                begin();
                run(round);
            }
            if (round.failure != null) {
                throw new IOException(round.failure.getMessage(), round.failure);
            }
        } finally {
            running.unlock();
        }
    }

    private void run(Round round) {
        try {
            work.run();
        } catch (IOException e) {
            round.failure = e;
        } finally {
            round.isDone = true;
        }
    }
}
