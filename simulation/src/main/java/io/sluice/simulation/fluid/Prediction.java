package io.sluice.simulation.fluid;

import java.util.List;
import java.util.Optional;

/**
 * How long a change takes, by the model. Immutable.
 *
 * @param seconds from the plan until everything is live
 * @param lastByteSeconds when the last byte arrived
 * @param plannedSeconds what the planner alone says: bytes by rates
 * @param bytes that travelled
 * @param sources how many nodes sent
 * @param busiest resources, the most used first
 * @param lost the source that died on the way
 * @param failure why it failed
 * @param events of the model
 */
public record Prediction(
        double seconds,
        double lastByteSeconds,
        double plannedSeconds,
        long bytes,
        long sstables,
        int sources,
        int sessions,
        List<Busy> busiest,
        Optional<String> lost,
        Optional<String> failure,
        long events) {
    /** What share of a resource was used from the first to the last byte; 0 to 1. */
    public record Busy(String resource, double share) {}

    public Prediction {
        busiest = List.copyOf(busiest);
    }
}
