package io.sluice.simulation;

import java.util.SplittableRandom;

/**
 * What may go wrong in one run, and how often: drawn first, so that some runs know only one kind of trouble and some
 * know all. Probabilities are per second of simulated time, or per event. Immutable.
 */
record Faults(
        double cut,
        double halfOpen,
        double stall,
        double receiverDies,
        double senderDies,
        double powerLoss,
        double diskError,
        double diskFull,
        double flip,
        double rot,
        double compaction,
        double cancel,
        double goLiveFails,
        double lie,
        double unknownTable,
        int seconds) {

    /** Nothing goes wrong. */
    static final Faults NONE = new Faults(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    static Faults draw(SplittableRandom random) {
        return new Faults(
                rate(random, 0.5),
                rate(random, 0.5),
                rate(random, 0.3),
                rate(random, 0.3),
                rate(random, 0.3),
                random.nextDouble(),
                rate(random, 0.02),
                rate(random, 0.1),
                rate(random, 0.05),
                rate(random, 0.02),
                rate(random, 1),
                rate(random, 0.02),
                rate(random, 0.3),
                rate(random, 0.1),
                rate(random, 0.1),
                random.nextInt(60));
    }

    /** In half of all runs never; else up to {@code most}. */
    private static double rate(SplittableRandom random, double most) {
        return random.nextBoolean() ? 0 : most * random.nextDouble();
    }
}
