package io.sluice.streaming.planner.balance;

import java.util.Arrays;
import java.util.stream.IntStream;

/** How fast each source sends, and what it has to send before. Immutable. */
public final class Sources {
    private final double[] bytesPerSecond;
    private final long[] queuedBytes;

    /**
     * Sources by number.
     *
     * @param bytesPerSecond positive
     * @param queuedBytes what each has to send for others first; not negative
     */
    public Sources(double[] bytesPerSecond, long[] queuedBytes) {
        if (bytesPerSecond.length != queuedBytes.length
                || !Arrays.stream(bytesPerSecond).allMatch(rate -> rate > 0 && Double.isFinite(rate))
                || !Arrays.stream(queuedBytes).allMatch(queued -> queued >= 0)) {
            throw new IllegalArgumentException("sources: expected a positive rate and no negative queue for each");
        }
        this.bytesPerSecond = bytesPerSecond.clone();
        this.queuedBytes = queuedBytes.clone();
    }

    /** How many there are. */
    public int count() {
        return bytesPerSecond.length;
    }

    /** When a source has sent {@code bytes} of ours, in seconds from now; at once if that is nothing. */
    public double finishSeconds(int source, long bytes) {
        return bytes == 0 ? 0 : (queuedBytes[source] + bytes) / bytesPerSecond[source];
    }

    /** How much of ours a source can send within {@code seconds}, rounded up. */
    long capacityBytes(int source, double seconds) {
        return (long) Math.ceil(Math.max(0, bytesPerSecond[source] * seconds - queuedBytes[source]));
    }

    /** When the sources of {@code which} have sent {@code bytes} of ours, if they share them as it suits best. */
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
