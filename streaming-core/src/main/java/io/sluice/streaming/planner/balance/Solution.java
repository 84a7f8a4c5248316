package io.sluice.streaming.planner.balance;

/** Who sends each piece, and how good that is. Immutable. */
public final class Solution {
    private final int[] options;
    private final double makespanSeconds;
    private final double boundSeconds;
    private final boolean isOptimal;
    private final MakespanBound flow;

    Solution(Assignment assignment, MakespanBound flow, double boundSeconds, boolean isOptimal) {
        this.options = assignment.options();
        this.makespanSeconds = assignment.makespanSeconds();
        this.boundSeconds = boundSeconds;
        this.isOptimal = isOptimal;
        this.flow = flow;
    }

    /** The option that a piece takes. */
    public int option(int piece) {
        return options[piece];
    }

    /** When the last source finishes. */
    public double makespanSeconds() {
        return makespanSeconds;
    }

    /** No assignment of these pieces ends before. */
    public double boundSeconds() {
        return boundSeconds;
    }

    /** No assignment ends before, even if pieces could be cut at will. */
    public double flowBoundSeconds() {
        return flow.seconds();
    }

    /** Whether it is proven that no assignment of these pieces is better. */
    public boolean isOptimal() {
        return isOptimal;
    }

    /** Whether a source is one of those whose pieces can come from nobody else and that set the bound together. */
    public boolean isBottleneck(int source) {
        return flow.isBottleneck(source);
    }
}
