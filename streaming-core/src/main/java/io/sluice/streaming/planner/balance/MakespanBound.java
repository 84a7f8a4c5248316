package io.sluice.streaming.planner.balance;

import java.util.stream.IntStream;

/** A time before which no assignment finishes, and the sources that determine it. Immutable. */
final class MakespanBound {
    private final double seconds;
    private final boolean[] bottleneck;

    /** @param bottleneck by number of the source; not copied */
    MakespanBound(double seconds, boolean[] bottleneck) {
        this.seconds = seconds;
        this.bottleneck = bottleneck;
    }

    /** The time in which the sources of {@code bottleneck} send bytes that only they have, divided among them. */
    static MakespanBound of(Sources sources, boolean[] bottleneck, long bytes) {
        return new MakespanBound(
                sources.finishTogetherSeconds(
                        bytes, IntStream.range(0, bottleneck.length).filter(source -> bottleneck[source])),
                bottleneck);
    }

    /** The time in which all sources together send everything: as if each could send any piece. */
    static MakespanBound ofAllSources(BalanceProblem problem) {
        boolean[] all = new boolean[problem.sources().count()];
        for (int option = 0; option < problem.options(); option++) {
            all[problem.source(option)] = true;
        }
        return of(problem.sources(), all, problem.totalBytes());
    }

    /** No assignment finishes earlier. */
    double seconds() {
        return seconds;
    }

    /** Whether a source belongs to those that determine the bound together, because only they have their pieces. */
    boolean isBottleneck(int source) {
        return bottleneck[source];
    }
}
