package io.sluice.streaming.session;

import io.sluice.streaming.message.Extent;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * What a session has still to ask for, in order: extents of lost connections, then files, of which each extent is made
 * when its turn comes: however long they are, they take no memory here. Not thread-safe.
 */
final class PendingExtents {
    private final Deque<Extent> lost = new ArrayDeque<>();
    private final Deque<Rest> files = new ArrayDeque<>();

    /** A file, and the first extent that was not taken from it yet. */
    private static final class Rest {
        final int offer;
        final FileExtents file;
        int next;

        Rest(int offer, FileExtents file) {
            this.offer = offer;
            this.file = file;
        }

        /** The next extent that is not here. */
        Optional<Extent> peek() {
            next = file.firstMissing(next);
            return next == file.extents() ? Optional.empty() : Optional.of(file.extent(offer, next));
        }
    }

    /** Adds all that is not here of a file of which nothing is on its way. */
    void add(int offer, FileExtents file) {
        files.removeIf(rest -> rest.file == file); // one that was held whole, and is damaged: or it would come twice
        files.add(new Rest(offer, file));
    }

    /** Puts an extent before all others. */
    void addFirst(Extent extent) {
        lost.addFirst(extent);
    }

    /** The first; empty if there is none. */
    Optional<Extent> peek() {
        if (!lost.isEmpty()) {
            return Optional.of(lost.element());
        }
        while (!files.isEmpty()) {
            Optional<Extent> next = files.element().peek();
            if (next.isPresent()) {
                return next;
            }
            files.remove();
        }
        return Optional.empty();
    }

    /** Takes the first, which is there. */
    void remove() {
        if (lost.isEmpty()) {
            files.element().next++;
        } else {
            lost.remove();
        }
    }

    /** Forgets what is of some offers. */
    void removeIf(IntPredicate isForgotten) {
        lost.removeIf(extent -> isForgotten.test(extent.offer()));
        files.removeIf(rest -> isForgotten.test(rest.offer));
    }
}
