package io.sluice.streaming.planner;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Rates of nodes, and what plans may do. Immutable.
 *
 * @param bytesPerSecond the default rate of a sender; positive
 * @param rates bytes per second of single nodes, by id; positive
 * @param queuedBytes bytes that nodes must send for others first, by id
 * @param receivedBytesPerSecond the rate of a receiver; positive, infinite for no limit
 * @param mayCutSSTables whether a range may end inside an SSTable; if not, each SSTable is sent whole or the plan fails
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

    /** A copy with another default rate of senders, in bytes per second. Default: 200 MiB. */
    PlannerOptions withRate(double otherBytesPerSecond) {
        return new PlannerOptions(otherBytesPerSecond, rates, queuedBytes, receivedBytesPerSecond, mayCutSSTables);
    }

    /** A copy with the rate of one sender, in bytes per second. */
    public PlannerOptions withRate(UUID node, double otherBytesPerSecond) {
        Map<UUID, Double> others = new HashMap<>(rates);
        others.put(node, otherBytesPerSecond);
        return new PlannerOptions(bytesPerSecond, others, queuedBytes, receivedBytesPerSecond, mayCutSSTables);
    }

    /** A copy with the rate of every receiver, in bytes per second. Default: no limit. */
    public PlannerOptions withReceiveRate(double otherBytesPerSecond) {
        return new PlannerOptions(bytesPerSecond, rates, queuedBytes, otherBytesPerSecond, mayCutSSTables);
    }

    /** A copy that permits ranges to end inside an SSTable. Default: not permitted. */
    public PlannerOptions cuttingSSTables() {
        return new PlannerOptions(bytesPerSecond, rates, queuedBytes, receivedBytesPerSecond, true);
    }

    double rateOf(UUID node) {
        return rates.getOrDefault(node, bytesPerSecond);
    }
}
