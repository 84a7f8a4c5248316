package io.sluice.streaming.planner;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * How fast nodes send, and what plans may do. Immutable.
 *
 * @param bytesPerSecond what a node sends of whom nothing else is known; positive
 * @param rates bytes per second of single nodes, by id; positive
 * @param queuedBytes what nodes have to send for others first, by id
 * @param receivedBytesPerSecond what a node takes in; positive, infinite if that is no limit
 * @param mayCutSSTables whether a range may end inside of an SSTable; if not, each SSTable comes whole or the plan
 *     fails
 */
public record PlannerOptions(
        double bytesPerSecond,
        Map<UUID, Double> rates,
        Map<UUID, Long> queuedBytes,
        double receivedBytesPerSecond,
        boolean mayCutSSTables) {
    /** All nodes send 200 MiB per second and are idle; SSTables stay whole. */
    public static final PlannerOptions DEFAULTS =
            new PlannerOptions(200 * (double) (1 << 20), Map.of(), Map.of(), Double.POSITIVE_INFINITY, false);

    public PlannerOptions {
        rates = Map.copyOf(rates);
        queuedBytes = Map.copyOf(queuedBytes);
    }

    /** What every node sends in a second of whom nothing else is known. Default: 200 MiB. */
    public PlannerOptions withRate(double otherBytesPerSecond) {
        return new PlannerOptions(otherBytesPerSecond, rates, queuedBytes, receivedBytesPerSecond, mayCutSSTables);
    }

    /** What one node sends in a second. */
    public PlannerOptions withRate(UUID node, double otherBytesPerSecond) {
        Map<UUID, Double> others = new HashMap<>(rates);
        others.put(node, otherBytesPerSecond);
        return new PlannerOptions(bytesPerSecond, others, queuedBytes, receivedBytesPerSecond, mayCutSSTables);
    }

    /** What every node takes in in a second. Default: as much as it is sent. */
    public PlannerOptions withReceiveRate(double otherBytesPerSecond) {
        return new PlannerOptions(bytesPerSecond, rates, queuedBytes, otherBytesPerSecond, mayCutSSTables);
    }

    /** Ranges may end inside of an SSTable. Default: they may not. */
    public PlannerOptions cuttingSSTables() {
        return new PlannerOptions(bytesPerSecond, rates, queuedBytes, receivedBytesPerSecond, true);
    }

    double rateOf(UUID node) {
        return rates.getOrDefault(node, bytesPerSecond);
    }
}
