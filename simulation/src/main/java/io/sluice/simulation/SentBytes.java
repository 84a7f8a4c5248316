package io.sluice.simulation;

import io.sluice.streaming.Limit;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Compares the bytes that one run of a process has sent with its limits. Not thread-safe. */
final class SentBytes {
    /** The burst allowed after a silence: the bytes of a tenth of a second, and one piece of each kind. */
    private static final double BURST_SECONDS = 0.1;

    private static final double NANOS_PER_SECOND = 1e9;
    private static final long PIECE_BYTES = 4 << 10;
    private static final int PIECES_PER_SECOND = 20;

    private final Map<Limit, Long> limits;
    private final long sinceNanos;
    private long bytes;

    /** @param limits of whole SSTables and slices, and of rows; no entry means no limit */
    SentBytes(Map<Limit, Long> limits, long nowNanos) {
        this.limits = limits;
        this.sinceNanos = nowNanos;
    }

    /** Adds sent bytes; returns what is wrong, or empty if all limits are kept. */
    Optional<String> add(long more, long nowNanos) {
        bytes += more;
        if (limits.isEmpty()) {
            return Optional.empty();
        }
        double most = most(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, nowNanos)
                + most(Limit.STREAM_THROUGHPUT_OUTBOUND, nowNanos);
        return bytes > most
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "%d bytes have left in %.3f s (expected: at most %.0f, by %s)",
                        bytes,
                        (nowNanos - sinceNanos) / NANOS_PER_SECOND,
                        most,
                        limits))
                : Optional.empty();
    }

    private double most(Limit limit, long nowNanos) {
        long rate = Objects.requireNonNull(limits.get(limit));
        double seconds = (nowNanos - sinceNanos) / NANOS_PER_SECOND + BURST_SECONDS;
        return rate * seconds + Math.max(PIECE_BYTES, rate / PIECES_PER_SECOND);
    }
}
