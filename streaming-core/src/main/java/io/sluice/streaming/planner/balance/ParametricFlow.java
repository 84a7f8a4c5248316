package io.sluice.streaming.planner.balance;

import java.util.stream.IntStream;

/**
 * The earliest end of any assignment if pieces can be divided arbitrarily; found by raising a time from below to the
 * value that each minimum cut requires (Newton's method on the parametric flow), keeping the flow in between.
 */
final class ParametricFlow {
    private final BalanceProblem problem;
    private final TransportFlow flow;
    private final long[] capacity;
    private MakespanBound bound;

    private ParametricFlow(BalanceProblem problem, MakespanBound ofAllSources) {
        this.problem = problem;
        this.flow = new TransportFlow(problem);
        this.capacity = new long[problem.sources().count()];
        this.bound = ofAllSources;
    }

    /**
     * Finds the best bound.
     *
     * @param ofAllSources from which the time is raised
     * @param start a good assignment, with which the flow begins
     */
    static ParametricFlow of(BalanceProblem problem, MakespanBound ofAllSources, Assignment start) {
        ParametricFlow found = new ParametricFlow(problem, ofAllSources);
        found.search(start);
        return found;
    }

    private void search(Assignment start) {
        raiseTo(bound.seconds());
        for (int piece = 0; piece < problem.pieces(); piece++) {
            flow.pour(start.optionOf(piece));
        }
        while (flow.maximise() > 0) {
            boolean[] bottleneck = new boolean[capacity.length];
            for (int source = 0; source < capacity.length; source++) {
                bottleneck[source] = flow.isBottleneck(source);
            }
            MakespanBound demanded = MakespanBound.of(problem.sources(), bottleneck, flow.bottleneckBytes());
            if (!(demanded.seconds() > bound.seconds())) {
                // Only rounding to whole bytes is left: one more byte for each source ends the loop.
                bound = new MakespanBound(bound.seconds(), bottleneck);
                IntStream.range(0, capacity.length).forEach(source -> raise(source, capacity[source] + 1));
                continue;
            }
            bound = demanded;
            raiseTo(bound.seconds());
        }
    }

    private void raiseTo(double time) {
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

    /** The best bound: there is an assignment of divided pieces that finishes then. */
    MakespanBound bound() {
        return bound;
    }

    /** The bytes of a piece that an option would send in that assignment. */
    long flow(int option) {
        return flow.flow(option);
    }
}
