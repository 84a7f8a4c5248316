package io.sluice.simulation.cassandra;

import java.util.SplittableRandom;

/**
 * What happens to one direction of a connection, at which of its bytes; {@link #NEVER} for what does not happen.
 * Immutable.
 *
 * @param cutAt byte in front of which both ends lose the connection
 * @param lostAt first byte that disappears, like all that follow, while the connection looks alive
 * @param flippedAt byte of which a bit changes
 * @param stalledAt byte that waits for {@code stallSeconds}
 * @param isSlow whether pieces take up to a second, not a millisecond
 */
record WireFaults(long cutAt, long lostAt, long flippedAt, long stalledAt, int stallSeconds, boolean isSlow) {
    static final long NEVER = Long.MAX_VALUE;
    /** Nothing happens but fragmentation. */
    static final WireFaults NONE = new WireFaults(NEVER, NEVER, NEVER, NEVER, 0, false);

    private static final int MOST_STALL_SECONDS = 170;
    private static final int FEW_BYTES = 400;
    private static final int MANY_BYTES = 60_000;

    /**
     * How likely each fault is on one direction of a connection, from 0 to 1.
     *
     * @param refused that a connection is refused
     */
    record Rates(double cut, double lost, double flipped, double stalled, double slow, double refused, double killed) {
        /** No faults. */
        static final Rates NONE = new Rates(0, 0, 0, 0, 0, 0, 0);

        /** In half of the runs a kind does not occur. */
        static Rates draw(SplittableRandom random) {
            return new Rates(
                    rate(random, 0.25),
                    rate(random, 0.15),
                    rate(random, 0.2),
                    rate(random, 0.2),
                    rate(random, 0.5),
                    rate(random, 0.1),
                    rate(random, 0.6));
        }

        private static double rate(SplittableRandom random, double most) {
            double rate = random.nextDouble() * most;
            return random.nextBoolean() ? rate : 0;
        }
    }

    static WireFaults draw(Rates rates, SplittableRandom random) {
        return new WireFaults(
                at(rates.cut(), random),
                at(rates.lost(), random),
                at(rates.flipped(), random),
                at(rates.stalled(), random),
                random.nextInt(MOST_STALL_SECONDS),
                random.nextDouble() < rates.slow());
    }

    private static long at(double rate, SplittableRandom random) {
        int at = random.nextInt(random.nextBoolean() ? FEW_BYTES : MANY_BYTES);
        return random.nextDouble() < rate ? at : NEVER;
    }
}
