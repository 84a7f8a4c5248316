package io.sluice.harness.agent;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Decides whether a node is overloaded by what streams: its own reads take more than twice as long as usual, on average
 * since the last sample, or it has dropped messages. Usual is the median of the last samples while hardly anything
 * streamed. That includes streaming that was slowed down to its least: if reads are slow even then, something else is
 * the reason, and soon it is the usual. Not thread-safe.
 */
final class SlowReads {
    private static final double SLOW = 2;
    /** Fewer say nothing. */
    private static final long LEAST_READS = 10;

    private static final int USUAL_SAMPLES = 31;
    private static final int LEAST_USUAL_SAMPLES = 3;
    /** Above what streaming slows down to. */
    private static final double HARDLY_ANYTHING_BYTES_PER_SECOND = 4 << 20;

    private final Deque<Double> quietMicros = new ArrayDeque<>();
    private Optional<Counts> before = Optional.empty();

    /**
     * What a node counts since its start.
     *
     * @param reads of its own data, for itself and for other nodes
     * @param readMicros time of all of these
     * @param dropped reads and writes that it did not carry out, as they had waited too long
     */
    record Counts(long reads, long readMicros, long dropped) {}

    /** @param streamedPerSecond bytes in both directions since the last sample */
    boolean next(Counts now, double streamedPerSecond) {
        Counts last = before.orElse(now);
        before = Optional.of(now);
        long reads = now.reads() - last.reads();
        if (reads < 0) { // the node has been started again
            return false;
        }
        double micros = (double) (now.readMicros() - last.readMicros()) / reads;
        boolean isMeasured = reads >= LEAST_READS;
        if (streamedPerSecond >= HARDLY_ANYTHING_BYTES_PER_SECOND) {
            return now.dropped() > last.dropped() || (isMeasured && micros > SLOW * usualMicros());
        }
        if (isMeasured) {
            quietMicros.add(micros);
            if (quietMicros.size() > USUAL_SAMPLES) {
                quietMicros.remove();
            }
        }
        return false;
    }

    /** Unlimited while too little is known. */
    private double usualMicros() {
        return quietMicros.size() < LEAST_USUAL_SAMPLES
                ? Double.POSITIVE_INFINITY
                : quietMicros.stream().sorted().toList().get(quietMicros.size() / 2);
    }
}
