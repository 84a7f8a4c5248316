package io.sluice.streaming.session;

import io.sluice.streaming.message.Extent;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * The extents that a session has still to request: those of lost connections, then files in order, whose extents are
 * created on demand, so that long files need no memory here. Each connection takes from a file of its own as long as
 * there is one: two that write to the same file wait for each other in the kernel. Not thread-safe.
 */
final class PendingExtents {
    private final Deque<Extent> lost = new ArrayDeque<>();
    /** Of which no connection takes. */
    private final Deque<Rest> files = new ArrayDeque<>();
    /** By the connection that takes from them. */
    private final Map<Integer, Rest> taken = new TreeMap<>();

    /** A file, and its first extent that was not taken yet. */
    private static final class Rest {
        final int offer;
        final FileExtents file;
        int next;

        Rest(int offer, FileExtents file) {
            this.offer = offer;
            this.file = file;
        }

        boolean isMissing() {
            next = file.firstMissing(next);
            return next < file.extents();
        }

        /** The next missing extent, which must exist. */
        Extent first() {
            return file.extent(offer, next);
        }
    }

    /** Adds all missing extents of a file that was not added before. */
    void add(int offer, FileExtents file) {
        files.add(new Rest(offer, file));
    }

    /** Adds the missing extents of a file once more, that has none in flight; looks at all files that wait. */
    void addAgain(int offer, FileExtents file) {
        // One that was retained complete, and has a mismatch, is here already: otherwise it would be fetched twice.
        files.removeIf(rest -> rest.file == file);
        taken.values().removeIf(rest -> rest.file == file);
        add(offer, file);
    }

    /** Adds an extent in front of all others. */
    void addFirst(Extent extent) {
        lost.addFirst(extent);
    }

    /** The first extent for {@code connection}; empty if there is none. */
    Optional<Extent> peek(int connection) {
        return lost.isEmpty() ? fileOf(connection).map(Rest::first) : Optional.of(lost.element());
    }

    /** Removes the first extent for {@code connection}, which must exist. */
    void remove(int connection) {
        if (lost.isEmpty()) {
            fileOf(connection).orElseThrow().next++;
        } else {
            lost.remove();
        }
    }

    /** Where {@code connection} takes from: its own file, else one of nobody, else one of another connection. */
    private Optional<Rest> fileOf(int connection) {
        Rest own = taken.get(connection);
        if (own != null && own.isMissing()) {
            return Optional.of(own);
        }
        taken.remove(connection);
        while (!files.isEmpty()) {
            Rest next = files.remove();
            if (next.isMissing()) {
                taken.put(connection, next);
                return Optional.of(next);
            }
        }
        return taken.values().stream().filter(Rest::isMissing).findFirst();
    }

    /** A connection takes nothing more: its file is the next one of another. */
    void release(int connection) {
        Rest rest = taken.remove(connection);
        if (rest != null) {
            files.addFirst(rest);
        }
    }

    /** Removes the extents of some offers. */
    void removeIf(IntPredicate isForgotten) {
        lost.removeIf(extent -> isForgotten.test(extent.offer()));
        files.removeIf(rest -> isForgotten.test(rest.offer));
        taken.values().removeIf(rest -> isForgotten.test(rest.offer));
    }
}
