package io.sluice.streaming.session;

import io.sluice.sstable.component.Component;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * The files whose checksums a receiver has requested after a mismatch. The source reads them sequentially, and each
 * only as often as a correct receiver requests it, so that a peer cannot keep the disk busy. Not thread-safe.
 */
final class FileChecks {
    /** After this number of mismatches a receiver abandons the file. */
    static final int MAX_CHECKS_OF_A_FILE = ChecksumMismatch.MAX_ATTEMPTS;

    /** Memory of one entry. */
    private static final long CHECK_BYTES = 128;

    private final Map<List<Object>, Integer> requested = new HashMap<>();
    private final Deque<SendingSession.Action.Sum> waiting = new ArrayDeque<>();
    private boolean isReading;

    /** Whether the checksums of a file may be requested again. */
    boolean mayAsk(int offer, Component component) {
        return requested.merge(List.of(offer, component), 1, Integer::sum) <= MAX_CHECKS_OF_A_FILE;
    }

    /** Queues a file; returns it if no other file is being read. */
    Optional<SendingSession.Action.Sum> add(SendingSession.Action.Sum check) {
        waiting.add(check);
        return isReading ? Optional.empty() : next();
    }

    /** The current file has been read; returns the next one. */
    Optional<SendingSession.Action.Sum> next() {
        Optional<SendingSession.Action.Sum> next = Optional.ofNullable(waiting.poll());
        isReading = next.isPresent();
        return next;
    }

    /** Memory of the queue in bytes. */
    long heldBytes() {
        return ((long) requested.size() + waiting.size()) * CHECK_BYTES;
    }

    /** The number of queued files. */
    int waiting() {
        return waiting.size();
    }

    /** Removes queued files of unpinned offers. */
    void forget(IntPredicate isUnpinned) {
        waiting.removeIf(check -> isUnpinned.test(check.offer()));
    }
}
