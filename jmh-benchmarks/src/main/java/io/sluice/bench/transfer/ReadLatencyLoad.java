package io.sluice.bench.transfer;

/** A database that is overloaded when more than one of its last hundred reads took too long. Thread-safe. */
final class ReadLatencyLoad {
    private static final int WINDOW = 100;

    // All guarded by this.
    private final boolean[] slow = new boolean[WINDOW];
    private int next;
    private int slowOnes;
    private long limitNanos = Long.MAX_VALUE;

    /** What takes longer is slow. */
    synchronized void limitNanos(long nanos) {
        limitNanos = nanos;
    }

    /** A read took so long. */
    synchronized void add(long nanos) {
        slowOnes -= slow[next] ? 1 : 0;
        slow[next] = nanos > limitNanos;
        slowOnes += slow[next] ? 1 : 0;
        next = (next + 1) % WINDOW;
    }

    /** Whether reads are slow now. */
    synchronized boolean isOverloaded() {
        return slowOnes > 1;
    }
}
