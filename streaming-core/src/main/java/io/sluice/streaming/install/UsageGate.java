package io.sluice.streaming.install;

import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Tracks the steps that use the files of a set. A session that has abandoned a table may lag behind those of other
 * sources: its last steps must not use files that are being removed, nor create new ones.
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

    /** A step that uses the files. */
    interface Step<T> {
        T run() throws IOException;
    }

    /**
     * Runs one step; steps may run concurrently, and may be nested.
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

    /** Waits for running steps, and rejects further ones. Idempotent. */
    void end() {
        lock.writeLock().lock();
        try {
            isOver = true;
        } finally {
            lock.writeLock().unlock();
        }
    }
}
