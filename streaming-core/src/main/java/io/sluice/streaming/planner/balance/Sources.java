package io.sluice.streaming.planner.balance;

import java.util.Arrays;
import java.util.stream.IntStream;

/** The rate and the queue of each source. Immutable. */
public final class Sources {
    private final double[] bytesPerSecond;
    private final long[] queuedBytes;

    /**
     * Sources by number.
     *
     * @param bytesPerSecond positive
     * @param queuedBytes bytes that each must send for others first; not negative
     */
    public Sources(double[] bytesPerSecond, long[] queuedBytes) {
        if (bytesPerSecond.length != queuedBytes.length
                || !Arrays.stream(bytesPerSecond).allMatch(rate -> rate > 0 && Double.isFinite(rate))
                || !Arrays.stream(queuedBytes).allMatch(queued -> queued >= 0)) {
            throw new IllegalArgumentException(
                    "sources: a rate or a queue is out of range (expected: positive rates, queues of at least 0)");
        }
        this.bytesPerSecond = bytesPerSecond.clone();
        this.queuedBytes = queuedBytes.clone();
    }

    /** The number of sources. */
    public int count() {
        return bytesPerSecond.length;
    }

    /** When a source has sent {@code bytes} of the plan, in seconds from now; 0 for no bytes. */
    public double finishSeconds(int source, long bytes) {
        return bytes == 0 ? 0 : (queuedBytes[source] + bytes) / bytesPerSecond[source];
    }

    /** When the slowest source would have sent {@code bytes}. */
    double lastFinishSeconds(long bytes) {
        double last = 0;
        for (int source = 0; source < count(); source++) {
            last = Math.max(last, finishSeconds(source, bytes));
        }
        return last;
    }

    /** The bytes of the plan that a source can send within {@code seconds}, rounded up. */
    long capacityBytes(int source, double seconds) {
        return (long) Math.ceil(Math.max(0, bytesPerSecond[source] * seconds - queuedBytes[source]));
    }

    /** When the sources {@code which} have sent {@code bytes} of the plan, divided among them in the best way. */
    double finishTogetherSeconds(long bytes, IntStream which) {
        int[] bySoonest = which.boxed()
                .sorted((a, b) -> Double.compare(freeSeconds(a), freeSeconds(b)))
                .mapToInt(Integer::intValue)
                .toArray();
        double work = bytes;
        double rate = 0;
        double seconds = Double.POSITIVE_INFINITY;
        for (int source : bySoonest) {
            if (freeSeconds(source) >= seconds) {
                break;
            }
            work += queuedBytes[source];
            rate += bytesPerSecond[source];
            seconds = work / rate;
        }
        return bytes == 0 ? 0 : seconds;
    }

    private double freeSeconds(int source) {
        return queuedBytes[source] / bytesPerSecond[source];
    }
}
