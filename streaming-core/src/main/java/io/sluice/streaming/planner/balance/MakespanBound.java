package io.sluice.streaming.planner.balance;

import java.util.stream.IntStream;

/**
 * The earliest end of any assignment if pieces can be divided arbitrarily; found by raising a time from below to the
 * value that each minimum cut requires (Newton's method on the parametric flow), keeping the flow in between.
 */
final class MakespanBound {
    private final BalanceProblem problem;
    private final TransportFlow flow;
    private final long[] capacity;
    private double seconds;
    private boolean[] bottleneck;

    private MakespanBound(BalanceProblem problem) {
        this.problem = problem;
        this.flow = new TransportFlow(problem);
        this.capacity = new long[problem.sources().count()];
        this.bottleneck = new boolean[capacity.length];
    }

    /** @param start a good assignment, with which the flow begins */
    static MakespanBound of(BalanceProblem problem, Assignment start) {
        MakespanBound bound = new MakespanBound(problem);
        bound.search(start);
        return bound;
    }

    private void search(Assignment start) {
        long total = 0;
        for (int piece = 0; piece < problem.pieces(); piece++) {
            total += problem.leastBytes(piece);
        }
        for (int option = 0; option < problem.options(); option++) {
            bottleneck[problem.source(option)] = true;
        }
        raiseTo(secondsOf(total));
        for (int piece = 0; piece < problem.pieces(); piece++) {
            flow.pour(start.optionOf(piece));
        }
        while (flow.maximise() > 0) {
            bottleneck = new boolean[capacity.length];
            for (int source = 0; source < capacity.length; source++) {
                bottleneck[source] = flow.isBottleneck(source);
            }
            double demanded = secondsOf(flow.bottleneckBytes());
            if (!(demanded > seconds)) {
                // Only rounding to whole bytes is left: one more byte for each source ends the loop.
                IntStream.range(0, capacity.length).forEach(source -> raise(source, capacity[source] + 1));
                continue;
            }
            raiseTo(demanded);
        }
    }

    private double secondsOf(long bytes) {
        return problem.sources()
                .finishTogetherSeconds(
                        bytes, IntStream.range(0, bottleneck.length).filter(i -> bottleneck[i]));
    }

    private void raiseTo(double time) {
        seconds = time;
        for (int source = 0; source < capacity.length; source++) {
            raise(source, problem.sources().capacityBytes(source, time));
        }
    }

    private void raise(int source, long to) {
        if (to > capacity[source]) {
            flow.raise(source, to - capacity[source]);
            capacity[source] = to;
        }
    }

    /** No assignment finishes earlier. */
    double seconds() {
        return seconds;
    }

    /** Whether a source belongs to those that determine the bound together, because only they have their pieces. */
    boolean isBottleneck(int source) {
        return bottleneck[source];
    }

    /** The bytes of a piece that an option would send in an assignment that finishes at {@link #seconds()}. */
    long flow(int option) {
        return flow.flow(option);
    }
}
