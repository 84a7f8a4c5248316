package io.sluice.streaming.planner.balance;

import java.util.stream.IntStream;

/**
 * The earliest end that any assignment can reach, if pieces may be poured in any proportions; found by raising a time
 * from below to what each minimum cut demands (Newton's method on the parametric flow), with the flow kept in between.
 */
final class MakespanBound {
    private final Problem problem;
    private final TransportFlow flow;
    private final long[] capacity;
    private double seconds;
    private boolean[] bottleneck;

    private MakespanBound(Problem problem) {
        this.problem = problem;
        this.flow = new TransportFlow(problem);
        this.capacity = new long[problem.sources().count()];
        this.bottleneck = new boolean[capacity.length];
    }

    /** @param start any good assignment: the flow begins with it */
    static MakespanBound of(Problem problem, Assignment start) {
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
                // Only rounding to whole bytes is left; a byte more for each source ends it.
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

    /** No assignment ends before. */
    double seconds() {
        return seconds;
    }

    /** Whether a source is one of those that together cannot be faster: their pieces can come from nobody else. */
    boolean isBottleneck(int source) {
        return bottleneck[source];
    }

    /** How much of a piece would be sent by an option, in an assignment that ends at {@link #seconds()}. */
    long flow(int option) {
        return flow.flow(option);
    }
}
