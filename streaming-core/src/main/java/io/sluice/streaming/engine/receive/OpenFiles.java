package io.sluice.streaming.engine.receive;

import io.sluice.streaming.progress.StreamActivity.QueueSample;
import java.io.InterruptedIOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Limits how many received files of a node are open at once, over all sessions. An idle file keeps its slot, because
 * more bytes may follow, but yields it to a file that is about to be written. If all slots are in use, a connection
 * waits until another one has written its extent.
 *
 * <p>A connection that waits holds no slot, and needs only one: a single slot suffices for progress.
 *
 * <p>Thread-safe.
 */
final class OpenFiles {
    private final int limit;

    // Guarded by this.
    private final Set<LandingFile> idle = new LinkedHashSet<>(); // the longest idle first
    private int open;
    private int waiting;

    /** @param limit at least 1 */
    OpenFiles(int limit) {
        this.limit = limit;
    }

    /** Takes a slot; waits for one if necessary. */
    void take() throws InterruptedIOException {
        while (true) {
            Optional<LandingFile> victim = takeOrChoose();
            if (victim.isEmpty()) {
                return;
            }
            victim.get().releaseSlot(); // without the lock: it waits for the disk
        }
    }

    /** Takes a free slot and returns empty; otherwise returns an idle file that may yield its slot. */
    private synchronized Optional<LandingFile> takeOrChoose() throws InterruptedIOException {
        while (open >= limit) {
            if (!idle.isEmpty()) {
                LandingFile longest = idle.iterator().next();
                idle.remove(longest);
                return Optional.of(longest);
            }
            waiting++;
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            } finally {
                waiting--;
            }
        }
        open++;
        return Optional.empty();
    }

    /** No connection writes to {@code file} for now. */
    synchronized void idle(LandingFile file) {
        idle.add(file);
        notifyAll();
    }

    /** A connection writes to {@code file}, which is open. */
    synchronized void busy(LandingFile file) {
        idle.remove(file);
    }

    /** {@code file} is closed: its slot is free. */
    synchronized void release(LandingFile file) {
        idle.remove(file);
        open--;
        notifyAll();
    }

    /** Open files, and connections that wait for a slot. */
    synchronized List<QueueSample> samples() {
        return List.of(
                new QueueSample("landing", "files", open, limit),
                new QueueSample("landing.waiting", "connections", waiting, QueueSample.OF_ITS_USERS));
    }
}
