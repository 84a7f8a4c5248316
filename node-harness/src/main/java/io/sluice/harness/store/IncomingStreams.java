package io.sluice.harness.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Coordinates what streams bring to one table with what this node does to the table meanwhile. Three rules:
 *
 * <ul>
 *   <li>While older rows of a range may arrive, compaction purges no tombstone there.
 *   <li>An install and a removal (truncate, drop) never overlap: a removal revokes all permits, grants no new ones and
 *       waits until all are released.
 *   <li>A plan that began before a removal gets no permit after it.
 * </ul>
 *
 * Kept in memory: after a crash nothing arrives until a plan begins anew, and committed sets are activated before any
 * compaction. Thread-safe.
 */
final class IncomingStreams {
    private final TableRef table;

    @GuardedBy("this")
    private final Map<UUID, Expected> plans = new HashMap<>();

    @GuardedBy("this")
    private final Map<UUID, Expected> installs = new HashMap<>();

    @GuardedBy("this")
    private final Set<UUID> permits = new HashSet<>();

    @GuardedBy("this")
    private long removals;

    @GuardedBy("this")
    private boolean isRemoving;

    /** What a plan brings; {@code removals} is the number of removals before it began. */
    private record Expected(UUID planId, TokenRanges ranges, long removals) {}

    /** An operation on the table. */
    @FunctionalInterface
    interface Step {
        void run() throws IOException;
    }

    /** A removal. */
    @FunctionalInterface
    interface Removal {
        /**
         * Removes the content.
         *
         * @param unconfirmed installs that had a permit and may still be committed: they must not become live
         */
        void run(Set<UUID> unconfirmed) throws IOException;
    }

    IncomingStreams(TableRef table) {
        this.table = table;
    }

    synchronized void expect(UUID planId, TokenRanges ranges) {
        plans.put(planId, new Expected(planId, ranges, removals));
    }

    /** Ends a plan; a set that was committed but not answered still counts as expected. */
    synchronized void end(UUID planId) {
        plans.remove(planId);
    }

    /** @throws StreamException of code {@link ErrorCode#DISCARDED} if content was removed since the plan began */
    synchronized TableStore.Permit permit(UUID planId, UUID installId) {
        Expected plan = plans.get(planId);
        if (plan == null) {
            throw new StreamException(
                    ErrorCode.INTERNAL, table + ": install " + installId + " of plan " + planId + ": unknown plan");
        }
        if (isRemoving || plan.removals() != removals) {
            throw new StreamException(
                    ErrorCode.DISCARDED, table + " was truncated or dropped while this node was receiving it");
        }
        permits.add(installId);
        installs.put(installId, plan);
        return new InstallPermit(installId);
    }

    private final class InstallPermit implements TableStore.Permit {
        private final UUID installId;

        @GuardedBy("IncomingStreams.this")
        private boolean isRefused;

        InstallPermit(UUID installId) {
            this.installId = installId;
        }

        @Override
        public void release() {
            synchronized (IncomingStreams.this) {
                permits.remove(installId);
                if (isRefused) { // otherwise it may be committed, and is retried
                    installs.remove(installId);
                }
                IncomingStreams.this.notifyAll();
            }
        }

        @Override
        public boolean isRevoked() {
            synchronized (IncomingStreams.this) {
                isRefused = isRemoving;
                return isRefused;
            }
        }
    }

    /** Ends an install: its answer is durable, or it was never committed. */
    synchronized void activated(UUID installId) {
        installs.remove(installId);
    }

    /** Ranges in which tombstones must not be purged now. */
    synchronized TokenRanges expected() {
        TokenRanges all = TokenRanges.NONE;
        for (Expected plan : plans.values()) {
            all = all.union(plan.ranges());
        }
        for (Expected install : installs.values()) {
            all = all.union(install.ranges());
        }
        return all;
    }

    /**
     * Makes the output of a compaction visible, unless it purged tombstones where rows have become expected meanwhile.
     *
     * @return whether it was done
     */
    synchronized boolean replaceUnlessExpected(PurgedTokens purged, Step replacing) throws IOException {
        if (purged.mayLieIn(expected())) {
            return false;
        }
        replacing.run();
        return true;
    }

    /**
     * Removes content while nothing is being installed. Plans that have begun install nothing afterwards, even if the
     * removal fails.
     *
     * @param timeout how long to wait for permits to be released
     * @throws IOException if an install does not end within that time; nothing was removed then
     */
    void remove(Duration timeout, Removal removal) throws IOException {
        Set<UUID> unconfirmed = begin(timeout);
        try {
            removal.run(unconfirmed);
        } finally {
            finish();
        }
    }

    private synchronized Set<UUID> begin(Duration timeout) throws IOException {
        long deadline = System.nanoTime() + timeout.toNanos();
        awaitUntil(deadline, false);
        isRemoving = true;
        try {
            awaitUntil(deadline, true);
        } catch (IOException e) {
            isRemoving = false;
            notifyAll();
            throw e;
        }
        return Set.copyOf(installs.keySet());
    }

    /** Waits for the end of another removal, or (during one) until all permits are released. */
    @GuardedBy("this")
    private void awaitUntil(long deadlineNanos, boolean isForPermits) throws IOException {
        while (isForPermits ? !permits.isEmpty() : isRemoving) {
            long millis = (deadlineNanos - System.nanoTime()) / 1_000_000;
            if (millis <= 0) {
                throw new IOException(table + ": installs " + permits
                        + " did not end in time, nothing was removed (see the log, then retry)");
            }
            try {
                wait(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException(
                        table + ": interrupted while waiting for installs, nothing was removed");
            }
        }
    }

    private synchronized void finish() {
        removals++;
        isRemoving = false;
        notifyAll();
    }
}
