package io.sluice.sstable.index;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;

/** Samples keys for Summary.db, in memory. Not thread-safe: confined to its writer. */
final class SummaryWriter {
    private static final int FULL_LEVEL = 128;

    private final int interval;
    private final GrowingBuffer samples = new GrowingBuffer();
    private final GrowingBuffer offsets = new GrowingBuffer();
    private long keys;
    private final GrowingBuffer first = new GrowingBuffer();
    private final GrowingBuffer last = new GrowingBuffer();

    /** Samples every {@code interval}-th key; it must be the table's. */
    SummaryWriter(int interval) {
        if (interval < 1) {
            throw new IllegalArgumentException("index interval: " + interval + " (expected: at least 1)");
        }
        this.interval = interval;
    }

    /** Adds the next key, whose entry begins at {@code indexPosition}; keeps no reference to it. */
    public void add(Bytes key, long indexPosition) {
        if (keys == 0) {
            first.put(key);
        }
        last.clear();
        last.put(key);
        if (keys % interval == 0) {
            offsets.putInt(samples.length());
            samples.put(key).putLong(Long.reverseBytes(indexPosition));
        }
        keys++;
    }

    /** The first key. */
    Bytes firstKey() {
        return first.toBytes();
    }

    /** The last key so far. */
    Bytes lastKey() {
        return last.toBytes();
    }

    /** The content of the file. */
    public Bytes encode() {
        if (keys == 0) {
            throw new IllegalStateException("no key (expected: at least one)");
        }
        int count = offsets.length() / Integer.BYTES;
        var out = new GrowingBuffer();
        out.putInt(interval).putInt(count).putLong((long) offsets.length() + samples.length());
        out.putInt(FULL_LEVEL).putInt(count);
        var relative = offsets.written();
        for (int i = 0; i < count; i++) {
            out.putInt(Integer.reverseBytes(relative.getInt() + offsets.length()));
        }
        out.put(samples);
        out.putInt(first.length()).put(first);
        out.putInt(last.length()).put(last);
        return out.toBytes();
    }
}
