package io.sluice.streaming.planner.balance;

import java.util.Arrays;

/** The chosen option of each piece, and the resulting load of each source. Not thread-safe: confined to one search. */
final class Assignment {
    static final int NONE = -1;

    private final BalanceProblem problem;
    private final int[] optionOf;
    private final long[] sentBytes;
    private long farBytes;

    Assignment(BalanceProblem problem) {
        this.problem = problem;
        this.optionOf = new int[problem.pieces()];
        this.sentBytes = new long[problem.sources().count()];
        Arrays.fill(optionOf, NONE);
    }

    private Assignment(Assignment other) {
        this.problem = other.problem;
        this.optionOf = other.optionOf.clone();
        this.sentBytes = other.sentBytes.clone();
        this.farBytes = other.farBytes;
    }

    Assignment copy() {
        return new Assignment(this);
    }

    void take(int piece, int option) {
        drop(piece);
        optionOf[piece] = option;
        sentBytes[problem.source(option)] += problem.bytes(option);
        farBytes += problem.farBytes(option);
    }

    void drop(int piece) {
        int old = optionOf[piece];
        if (old != NONE) {
            sentBytes[problem.source(old)] -= problem.bytes(old);
            farBytes -= problem.farBytes(old);
            optionOf[piece] = NONE;
        }
    }

    int optionOf(int piece) {
        return optionOf[piece];
    }

    int sourceOf(int piece) {
        return problem.source(optionOf[piece]);
    }

    long farBytes() {
        return farBytes;
    }

    double finishSeconds(int source) {
        return problem.sources().finishSeconds(source, sentBytes[source]);
    }

    /** When a source would finish with {@code more} bytes. */
    double finishSeconds(int source, long more) {
        return problem.sources().finishSeconds(source, sentBytes[source] + more);
    }

    /** The source that finishes last; there must be one. */
    int slowest() {
        int slowest = 0;
        for (int source = 1; source < sentBytes.length; source++) {
            if (finishSeconds(source) > finishSeconds(slowest)) {
                slowest = source;
            }
        }
        return slowest;
    }

    double makespanSeconds() {
        return sentBytes.length == 0 ? 0 : finishSeconds(slowest());
    }

    /** Whether this finishes earlier, or at the same time with fewer bytes between data centres. */
    boolean isBetterThan(Assignment other) {
        int byTime = Double.compare(makespanSeconds(), other.makespanSeconds());
        return byTime < 0 || (byTime == 0 && farBytes < other.farBytes);
    }

    int[] options() {
        return optionOf.clone();
    }
}
