package io.sluice.streaming.engine.receive;

import io.sluice.streaming.plan.Operation.Priority;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Limits concurrent sessions with one source to the number that sources allow. Of further sessions the most urgent is
 * next. Thread-safe.
 */
final class SourceSlots {
    private final int most;
    private final Map<UUID, Source> sources = new HashMap<>(); // guarded by this

    private static final class Source {
        final WaitQueue<Slot> waiting = new WaitQueue<>(slot -> slot.priority.get());
        int taken;
    }

    /** @param most maximum per source, at least 1 */
    SourceSlots(int most) {
        this.most = most;
    }

    /**
     * Requests a slot for a session; {@code onGranted} runs when it is granted: now, or later on another thread.
     *
     * @param priority of its plan, now
     */
    Slot enter(UUID source, Supplier<Priority> priority, Runnable onGranted) {
        Slot place = new Slot(source, priority, onGranted);
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

    /** When a session that waits begins, human-readable. */
    static String next(int before, Priority priority) {
        return before == 0
                ? "the session is the next (priority " + priority.word() + ")"
                : "the session begins after " + before + (before == 1 ? " other" : " others")
                        + ", which are more urgent or came earlier (its priority: " + priority.word() + ")";
    }

    /** The slot that one session has or waits for. */
    final class Slot implements AutoCloseable {
        private final UUID source;
        private final Supplier<Priority> priority;
        private final Runnable onGranted;

        // Guarded by the enclosing SourceSlots.
        private boolean isGranted;
        private boolean isClosed;

        private Slot(UUID source, Supplier<Priority> priority, Runnable onGranted) {
            this.source = source;
            this.priority = priority;
            this.onGranted = onGranted;
        }

        boolean isGranted() {
            synchronized (SourceSlots.this) {
                return isGranted;
            }
        }

        /** Why the session waits, human-readable. */
        String why() {
            synchronized (SourceSlots.this) {
                Source state = sources.get(source);
                int before = state == null ? 0 : state.waiting.before(this);
                return most + (most == 1 ? " session is" : " sessions are")
                        + " fetching from this source, the maximum (streaming_sessions_per_peer); "
                        + next(before, priority.get());
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
        Optional<Slot> next = state.waiting.poll();
        if (next.isPresent()) {
            next.get().isGranted = true;
            return next;
        }
        state.taken--;
        if (state.taken == 0) {
            sources.remove(place.source);
        }
        return Optional.empty();
    }
}
