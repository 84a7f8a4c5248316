package io.sluice.simulation;

import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Which faults one run injects, and how often. Drawn first, so that some runs have only one kind of fault and some have
 * all. Immutable.
 *
 * @param rates probability per second of simulated time, or per event
 * @param seconds duration of the fault phase
 */
record FaultRates(Map<Kind, Double> rates, int seconds) {
    /** Kinds of faults. */
    enum Kind {
        /** A connection is reset; both ends are notified. */
        CUT(0.5),
        /** A connection is lost, and not all ends are notified. */
        HALF_OPEN(0.5),
        /** Nothing is transferred between two nodes for up to a minute. */
        STALL(0.3),
        /** A receiver is killed, at once or during its next disk operations. */
        RECEIVER_DIES(0.3),
        /** A source is killed. */
        SENDER_DIES(0.3),
        /** A killed node also loses power: what was not synced is lost, kept or torn. */
        POWER_LOSS(1),
        /** A disk operation fails. */
        DISK_ERROR(0.02),
        /** The disk is full. */
        DISK_FULL(0.1),
        /** A byte is changed in transit. */
        FLIP(0.05),
        /** A byte of a source's file changes. */
        BIT_ROT(0.02),
        /** SSTables are compacted, at sources and receivers. */
        COMPACTION(1),
        /** The disk of a receiver does not answer for minutes. */
        DISK_HANGS(0.1),
        /** A plan is paused, and resumed later. */
        PAUSE(0.2),
        /** A plan is cancelled. */
        CANCEL(0.02),
        /** The database does not answer when it is asked to activate a table. */
        GO_LIVE_FAILS(0.3),
        /** A source offers more than was requested, or makes false statements. */
        LIE(0.1),
        /** A source does not know a table. */
        UNKNOWN_TABLE(0.1),
        /** A table is dropped, re-created, truncated or altered. */
        SCHEMA(0.04),
        /** The database of a source revokes the pins of a session. */
        REVOKE(0.1),
        /** One end of a session makes no progress, but still sends heartbeats. */
        STUCK(0.5),
        /** The database throws an unexpected error. */
        ERROR(0.2);

        private final double most;

        Kind(double most) {
            this.most = most;
        }
    }

    /** No faults. */
    static final FaultRates NONE = new FaultRates(Map.of(), 0);

    FaultRates {
        rates = rates.isEmpty() ? Map.of() : new EnumMap<>(rates);
    }

    /** Draws the rates: in half of all runs a kind does not occur, otherwise at up to its highest rate. */
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
