package io.sluice.streaming.session;

import io.sluice.streaming.message.Extent;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * The extents that a session has still to request, in order: those of lost connections, then files, whose extents are
 * created on demand, so that long files need no memory here. Not thread-safe.
 */
final class PendingExtents {
    private final Deque<Extent> lost = new ArrayDeque<>();
    private final Deque<Rest> files = new ArrayDeque<>();

    /** A file, and its first extent that was not taken yet. */
    private static final class Rest {
        final int offer;
        final FileExtents file;
        int next;

        Rest(int offer, FileExtents file) {
            this.offer = offer;
            this.file = file;
        }

        /** The next missing extent. */
        Optional<Extent> peek() {
            next = file.firstMissing(next);
            return next == file.extents() ? Optional.empty() : Optional.of(file.extent(offer, next));
        }
    }

    /** Adds all missing extents of a file that has none in flight. */
    void add(int offer, FileExtents file) {
        files.removeIf(rest -> rest.file
                == file); // one that was retained complete, and has a mismatch: otherwise it would be fetched twice
        files.add(new Rest(offer, file));
    }

    /** Adds an extent in front of all others. */
    void addFirst(Extent extent) {
        lost.addFirst(extent);
    }

    /** The first extent; empty if there is none. */
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

    /** Removes the first extent, which must exist. */
    void remove() {
        if (lost.isEmpty()) {
            files.element().next++;
        } else {
            lost.remove();
        }
    }

    /** Removes the extents of some offers. */
    void removeIf(IntPredicate isForgotten) {
        lost.removeIf(extent -> isForgotten.test(extent.offer()));
        files.removeIf(rest -> isForgotten.test(rest.offer));
    }
}
