package io.sluice.streaming.engine.receive;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * How many sessions fetch from one source at once: no more than sources allow, or they would refuse them. Those beyond
 * wait in order. Thread-safe.
 */
final class SourceSlots {
    private final int most;
    private final Map<UUID, Source> sources = new HashMap<>(); // guarded by this

    private static final class Source {
        final Deque<Slot> waiting = new ArrayDeque<>();
        int taken;
    }

    /** @param most of one source, at least 1 */
    SourceSlots(int most) {
        this.most = most;
    }

    /** Why a session waits, human-readable. */
    String why() {
        return most + " sessions fetch from this source already (streaming_sessions_per_peer); it begins when one of"
                + " them ends";
    }

    /** A place for a session; {@code onGranted} runs when it has it: now, or later on another thread. */
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

    /** What one session has, or waits for. */
    final class Slot implements AutoCloseable {
        private final UUID source;
        private final Runnable onGranted;

        // Guarded by the places.
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

        /** The session is over, or does not wait any more; again, it does nothing. */
        @Override
        public void close() {
            leave(this).ifPresent(next -> next.onGranted.run());
        }
    }

    /** Who gets the place. */
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
