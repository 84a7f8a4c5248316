package io.sluice.streaming.engine.receive;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Limits concurrent sessions with one source to the number that sources allow. Further sessions wait in order.
 * Thread-safe.
 */
final class SourceSlots {
    private final int most;
    private final Map<UUID, Source> sources = new HashMap<>(); // guarded by this

    private static final class Source {
        final Deque<Slot> waiting = new ArrayDeque<>();
        int taken;
    }

    /** @param most maximum per source, at least 1 */
    SourceSlots(int most) {
        this.most = most;
    }

    /** Why a session waits, human-readable. */
    String why() {
        return most
                + " sessions are fetching from this source, the maximum (streaming_sessions_per_peer); the session begins"
                + " when one of them ends";
    }

    /** Requests a slot for a session; {@code onGranted} runs when it is granted: now, or later on another thread. */
    Slot enter(UUID source, Runnable onGranted) {
        Slot place = new Slot(source, onGranted);
        synchronized (this) {
            Source state = sources.computeIfAbsent(source, known -> new Source());
            if (state.taken == most) {
                state.waiting.add(place);
                return place;
            }
            state.taken++;
            place.isGranted = true;
        }
        onGranted.run();
        return place;
    }

    /** The slot that one session has or waits for. */
    final class Slot implements AutoCloseable {
        private final UUID source;
        private final Runnable onGranted;

        // Guarded by the enclosing SourceSlots.
        private boolean isGranted;
        private boolean isClosed;

        private Slot(UUID source, Runnable onGranted) {
            this.source = source;
            this.onGranted = onGranted;
        }

        boolean isGranted() {
            synchronized (SourceSlots.this) {
                return isGranted;
            }
        }

        /** Frees the slot, or ends the wait. Idempotent. */
        @Override
        public void close() {
            leave(this).ifPresent(next -> next.onGranted.run());
        }
    }

    /** Returns the slot that is granted next. */
    private synchronized Optional<Slot> leave(Slot place) {
        Source state = sources.get(place.source);
        if (place.isClosed || state == null) {
            return Optional.empty();
        }
        place.isClosed = true;
        if (!place.isGranted) {
            state.waiting.remove(place);
            return Optional.empty();
        }
        Slot next = state.waiting.poll();
        if (next != null) {
            next.isGranted = true;
            return Optional.of(next);
        }
        state.taken--;
        if (state.taken == 0) {
            sources.remove(place.source);
        }
        return Optional.empty();
    }
}
