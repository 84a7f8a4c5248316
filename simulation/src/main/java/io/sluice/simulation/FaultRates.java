package io.sluice.simulation;

import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * What may go wrong in one run, and how often: drawn first, so that some runs know only one kind of fault and some know
 * all. Immutable.
 *
 * @param rates probability per second of simulated time, or per event
 * @param seconds for how long
 */
record FaultRates(Map<Kind, Double> rates, int seconds) {
    /** Kinds of faults. */
    enum Kind {
        /** A connection is reset; both ends are notified of it. */
        CUT(0.5),
        /** A connection is gone, and not all ends are notified of it. */
        HALF_OPEN(0.5),
        /** Nothing passes between two nodes for up to a minute. */
        STALL(0.3),
        /** A receiver dies, at once or in the middle of its next operations on the disk. */
        RECEIVER_DIES(0.3),
        /** A source dies. */
        SENDER_DIES(0.3),
        /** Who dies has lost power: what was not synced is lost, kept or torn. */
        POWER_LOSS(1),
        /** An operation on the disk fails. */
        DISK_ERROR(0.02),
        /** No room is left. */
        DISK_FULL(0.1),
        /** A byte is changed on its way. */
        FLIP(0.05),
        /** A byte of a source's file goes bad. */
        BIT_ROT(0.02),
        /** SSTables are compacted, at sources and receivers. */
        COMPACTION(1),
        /** The disk of a receiver does not answer for minutes. */
        DISK_HANGS(0.1),
        /** Somebody pauses a plan, and resumes it later. */
        PAUSE(0.2),
        /** Somebody cancels a plan. */
        CANCEL(0.02),
        /** The database does not answer when it is notified that a table is there. */
        GO_LIVE_FAILS(0.3),
        /** A source offers more than was asked for, or says what is not so. */
        LIE(0.1),
        /** A source does not know a table. */
        UNKNOWN_TABLE(0.1),
        /** Somebody drops, re-creates, truncates or alters a table. */
        SCHEMA(0.04),
        /** The database of a source takes back what is pinned for a session. */
        REVOKE(0.1),
        /** An end of a session does nothing any more, and says all the same that it lives. */
        STUCK(0.5),
        /** The database throws what nobody expects. */
        ERROR(0.2);

        private final double most;

        Kind(double most) {
            this.most = most;
        }
    }

    /** Nothing goes wrong. */
    static final FaultRates NONE = new FaultRates(Map.of(), 0);

    FaultRates {
        rates = rates.isEmpty() ? Map.of() : new EnumMap<>(rates);
    }

    /** In half of all runs a kind does not occur; else up to its highest rate. */
    static FaultRates draw(SplittableRandom random) {
        Map<Kind, Double> rates = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            double rate = kind.most * random.nextDouble();
            if (random.nextBoolean()) {
                rates.put(kind, rate);
            }
        }
        return new FaultRates(rates, random.nextInt(60));
    }

    double of(Kind kind) {
        return rates.getOrDefault(kind, 0.0);
    }

    FaultRates without(Kind kind) {
        Map<Kind, Double> others = new EnumMap<>(Kind.class);
        others.putAll(rates);
        others.remove(kind);
        return new FaultRates(others, seconds);
    }

    @Override
    public String toString() {
        return "faults for " + seconds + " s: " + new TreeMap<>(rates);
    }
}
