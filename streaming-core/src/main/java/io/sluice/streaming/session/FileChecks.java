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
 * The files of which a receiver wants checksums, because what it received is damaged. They are read one after the
 * other, and each only as often as an honest receiver asks: a peer that asks without end makes no disk busy. Not
 * thread-safe.
 */
final class FileChecks {
    /** After the third damage of a file a receiver abandons it. */
    static final int MAX_CHECKS_OF_A_FILE = ChecksumMismatch.MAX_ATTEMPTS;

    /** An entry of each. */
    private static final long CHECK_BYTES = 128;

    private final Map<List<Object>, Integer> requested = new HashMap<>();
    private final Deque<SendingSession.Action.Sum> waiting = new ArrayDeque<>();
    private boolean isReading;

    /** Whether a file may be asked for once more. */
    boolean mayAsk(int offer, Component component) {
        return requested.merge(List.of(offer, component), 1, Integer::sum) <= MAX_CHECKS_OF_A_FILE;
    }

    /** The file to read now, if none is being read. */
    Optional<SendingSession.Action.Sum> add(SendingSession.Action.Sum check) {
        waiting.add(check);
        return isReading ? Optional.empty() : next();
    }

    /** One file is read; the one to read now. */
    Optional<SendingSession.Action.Sum> next() {
        Optional<SendingSession.Action.Sum> next = Optional.ofNullable(waiting.poll());
        isReading = next.isPresent();
        return next;
    }

    /** What it keeps, in bytes of memory. */
    long heldBytes() {
        return ((long) requested.size() + waiting.size()) * CHECK_BYTES;
    }

    /** How many files wait. */
    int waiting() {
        return waiting.size();
    }

    /** Forgets files that wait, of offers that are unpinned. */
    void forget(IntPredicate isUnpinned) {
        waiting.removeIf(check -> isUnpinned.test(check.offer()));
    }
}
