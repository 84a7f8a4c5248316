package io.sluice.streaming.engine.receive;

import io.sluice.streaming.progress.StreamActivity.QueueSample;
import java.io.InterruptedIOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Places for the files of a node that bytes land in: so many are open at once, of all sessions together. A file keeps
 * its place when nobody lands in it any more, since there may be more to come, but yields it to one in which somebody
 * wants to. Who finds every place in use waits until an extent has landed.
 *
 * <p>Nobody who waits here has a place, and who has one needs no second: so one place is enough for all to go on.
 *
 * <p>Thread-safe.
 */
final class OpenFiles {
    private final int limit;

    // Guarded by this.
    private final Set<LandingFile> idle = new LinkedHashSet<>(); // the one that has been so for longest first
    private int open;
    private int waiting;

    /** @param limit at least 1 */
    OpenFiles(int limit) {
        this.limit = limit;
    }

    /** Takes a place; waits for one if need be. */
    void take() throws InterruptedIOException {
        while (true) {
            Optional<LandingFile> victim = takeOrChoose();
            if (victim.isEmpty()) {
                return;
            }
            victim.get().releaseSlot(); // not under the lock: it waits for the disk
        }
    }

    /** Empty if a place was free, and is taken; else a file that may yield its own. */
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

    /** Nobody lands in {@code file} for now. */
    synchronized void idle(LandingFile file) {
        idle.add(file);
        notifyAll();
    }

    /** Somebody lands in {@code file}, which is open. */
    synchronized void busy(LandingFile file) {
        idle.remove(file);
    }

    /** {@code file} is closed: its place is free. */
    synchronized void release(LandingFile file) {
        idle.remove(file);
        open--;
        notifyAll();
    }

    /** Files that are open, and connections that wait to open one. */
    synchronized List<QueueSample> samples() {
        return List.of(
                new QueueSample("landing", "files", open, limit),
                new QueueSample("landing.waiting", "connections", waiting, QueueSample.OF_ITS_USERS));
    }
}
