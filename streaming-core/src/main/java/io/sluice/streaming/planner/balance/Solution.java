package io.sluice.streaming.planner.balance;

/** The source of each piece, and the quality of the assignment. Immutable. */
public final class Solution {
    private final int[] options;
    private final double makespanSeconds;
    private final double boundSeconds;
    private final boolean isOptimal;
    private final MakespanBound ofDivided;

    Solution(Assignment assignment, MakespanBound ofDivided, double boundSeconds, boolean isOptimal) {
        this.options = assignment.options();
        this.makespanSeconds = assignment.makespanSeconds();
        this.boundSeconds = boundSeconds;
        this.isOptimal = isOptimal;
        this.ofDivided = ofDivided;
    }

    /** The chosen option of a piece. */
    public int option(int piece) {
        return options[piece];
    }

    /** When the last source finishes. */
    public double makespanSeconds() {
        return makespanSeconds;
    }

    /** No assignment of these pieces finishes earlier. */
    public double boundSeconds() {
        return boundSeconds;
    }

    /** No assignment finishes earlier, even if pieces could be divided arbitrarily. */
    public double dividedBoundSeconds() {
        return ofDivided.seconds();
    }

    /** Whether it is proven that no assignment of these pieces is better. */
    boolean isOptimal() {
        return isOptimal;
    }

    /** Whether a source belongs to those that determine the bound together, because only they have their pieces. */
    public boolean isBottleneck(int source) {
        return ofDivided.isBottleneck(source);
    }
}
