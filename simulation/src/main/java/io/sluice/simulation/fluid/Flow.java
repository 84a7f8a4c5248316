package io.sluice.simulation.fluid;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Bytes of one data connection: a queue of parts, of which the first one flows. Not thread-safe. */
final class Flow {
    /** What a byte of a flow takes of a resource. */
    record Use(Resource resource, double perByte) {}

    /** So many bytes, and what to do when they have arrived. */
    record Part(double bytes, Runnable onArrival) {}

    final List<Use> uses;
    final Deque<Part> parts = new ArrayDeque<>();
    double rate;
    double leftBytes;
    double flowedUntil;
    boolean isFixed;

    /** Counts changes of the rate: an arrival that was foreseen before the last one does not happen. */
    long version;

    Flow(List<Use> uses) {
        this.uses = List.copyOf(uses);
    }

    boolean isActive() {
        return !parts.isEmpty();
    }
}
