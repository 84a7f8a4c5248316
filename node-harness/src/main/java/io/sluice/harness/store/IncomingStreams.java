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
 * What streams bring to one table, against what this node does to it meanwhile. Three rules:
 *
 * <ul>
 *   <li>While older rows of a range may arrive, compaction forgets no deletion there.
 *   <li>An install and a removal (truncate, drop) never overlap: a removal revokes the permits that are out, gives no
 *       new ones and waits until all are released.
 *   <li>What was expected before a removal gets no permit after it.
 * </ul>
 *
 * In memory: after a crash nothing arrives until a plan begins anew, and committed sets are made live before anything
 * is compacted. Thread-safe.
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

    /** What a plan brings; {@code removals} is how many there had been when it began. */
    private record Expected(UUID planId, TokenRanges ranges, long removals) {}

    /** Something that is done to the table. */
    @FunctionalInterface
    interface Step {
        void run() throws IOException;
    }

    /** A removal. */
    @FunctionalInterface
    interface Removal {
        /**
         * Removes it.
         *
         * @param unconfirmed installs that were permitted and may still be committed: what they bring is void
         */
        void run(Set<UUID> unconfirmed) throws IOException;
    }

    IncomingStreams(TableRef table) {
        this.table = table;
    }

    synchronized void expect(UUID planId, TokenRanges ranges) {
        plans.put(planId, new Expected(planId, ranges, removals));
    }

    /** A set that was committed, and is not answered for, still arrives. */
    synchronized void end(UUID planId) {
        plans.remove(planId);
    }

    /** @throws StreamException of code {@link ErrorCode#DISCARDED} if the content was removed since the plan began */
    synchronized TableStore.Permit permit(UUID planId, UUID installId) {
        Expected plan = plans.get(planId);
        if (plan == null) {
            throw new StreamException(
                    ErrorCode.INTERNAL,
                    table + ": install " + installId + " of plan " + planId + ", which was not notified of");
        }
        if (isRemoving || plan.removals() != removals) {
            throw new StreamException(
                    ErrorCode.DISCARDED, table + " was truncated or dropped while it was streamed to this node");
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
                if (isRefused) { // else it may be committed, and comes again
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

    /** An install is over: its answer is durable, or it was never committed. */
    synchronized void activated(UUID installId) {
        installs.remove(installId);
    }

    /** Where a deletion must not be forgotten now. */
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
     * Makes the outcome of a compaction visible, unless rows have become expected meanwhile where it has forgotten
     * deletions.
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
     * Removes content while nothing is being installed. Plans that have begun install nothing afterwards, also if the
     * removal fails.
     *
     * @param timeout how long to wait for permits that are out
     * @throws IOException if an install does not end within that time: then nothing was removed
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

    /** Waits for the end of another removal, or (in one) until all permits are released. */
    @GuardedBy("this")
    private void awaitUntil(long deadlineNanos, boolean isForPermits) throws IOException {
        while (isForPermits ? !permits.isEmpty() : isRemoving) {
            long millis = (deadlineNanos - System.nanoTime()) / 1_000_000;
            if (millis <= 0) {
                throw new IOException(table + ": installs " + permits
                        + " do not end, nothing was removed (expected: seconds; see the log, then try again)");
            }
            try {
                wait(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException(table + ": interrupted while installs end, nothing was removed");
            }
        }
    }

    private synchronized void finish() {
        removals++;
        isRemoving = false;
        notifyAll();
    }
}
