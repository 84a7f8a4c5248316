package io.sluice.streaming.install;

import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Who is at work on the files of a set. A session that has abandoned a table may lag behind the others that send it
 * instead: its last steps must neither meet files that are being removed, nor make new ones beside them.
 *
 * <p>Thread-safe.
 */
final class UsageGate {
    private final TableRef table;
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private boolean isOver; // guarded by the lock

    UsageGate(TableRef table) {
        this.table = table;
    }

    /** What touches the files. */
    interface Step<T> {
        T run() throws IOException;
    }

    /**
     * Runs one step; several may run at a time, and one within another.
     *
     * @throws SetOverException if the use has ended
     */
    <T> T during(Step<T> step) throws IOException {
        lock.readLock().lock();
        try {
            if (isOver) {
                throw new SetOverException(table);
            }
            return step.run();
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Waits for the steps that have begun, and lets none begin after that. Ending it again does nothing. */
    void end() {
        lock.writeLock().lock();
        try {
            isOver = true;
        } finally {
            lock.writeLock().unlock();
        }
    }
}
