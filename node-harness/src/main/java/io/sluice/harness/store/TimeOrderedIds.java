package io.sluice.harness.store;

import io.sluice.sstable.component.SSTableId;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** Generates unique SSTable ids: version-1 UUIDs with a random node part. Later ids are greater. Thread-safe. */
final class TimeOrderedIds {
    private static final long TICKS_PER_SECOND = 10_000_000;
    // RFC 4122: version-1 time counts 100 ns units from the first day of the Gregorian calendar.
    private static final long GREGORIAN_SECONDS =
            -Instant.parse("1582-10-15T00:00:00Z").getEpochSecond();
    private static final long VARIANT = 1L << 63;
    private static final long RANDOM_BITS = (1L << 62) - 1;
    private static final long MULTICAST = 1L << 40; // marks the node part as random, not a network card's

    private final InstantSource clock;
    private final long low;
    private long lastTicks;

    TimeOrderedIds(InstantSource clock, RandomGenerator random) {
        this.clock = clock;
        this.low = VARIANT | (random.nextLong() & RANDOM_BITS) | MULTICAST;
    }

    synchronized SSTableId next() {
        Instant now = clock.instant();
        long ticks = (now.getEpochSecond() + GREGORIAN_SECONDS) * TICKS_PER_SECOND + now.getNano() / 100;
        lastTicks = Math.max(lastTicks + 1, ticks);
        long high = lastTicks << 32 | (lastTicks >>> 16 & 0xffff_0000L) | 0x1000 | (lastTicks >>> 48 & 0x0fff);
        return new SSTableId.TimeOrdered(new UUID(high, low));
    }
}
