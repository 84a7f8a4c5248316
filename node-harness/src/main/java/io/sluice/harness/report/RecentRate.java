package io.sluice.harness.report;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/** How fast something that is sampled now and then grew in the last seconds. Not thread-safe. */
public final class RecentRate {
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Deque<Sample> samples = new ArrayDeque<>();

    /** How much there was at a time. */
    private record Sample(long bytes, long nanos) {}

    /** Adds a sample, which is not older than the last one. */
    public void add(long bytes, long nanos) {
        samples.add(new Sample(bytes, nanos));
        while (nanos - samples.getFirst().nanos() > WINDOW_NANOS) {
            samples.removeFirst();
        }
    }

    /** At least 0; 0 if too little is known. */
    public double bytesPerSecond() {
        if (samples.size() < 2) {
            return 0;
        }
        Sample first = samples.getFirst();
        Sample last = samples.getLast();
        double seconds = (last.nanos() - first.nanos()) / NANOS_PER_SECOND;
        return seconds <= 0 ? 0 : Math.max(0, last.bytes() - first.bytes()) / seconds;
    }
}
