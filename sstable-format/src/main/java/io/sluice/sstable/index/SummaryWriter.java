package io.sluice.sstable.index;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.util.Arrays;

/** Samples keys for Summary.db, in memory. Not thread-safe: confined to its writer. */
final class SummaryWriter {
    private static final int FULL_LEVEL = 128;

    private final int interval;
    private final GrowingBuffer samples = new GrowingBuffer();
    private final GrowingBuffer offsets = new GrowingBuffer();
    private final GrowingBuffer first = new GrowingBuffer();
    private byte[] last = new byte[64];
    private int lastLength;
    /** Keys until the next sample. */
    private int untilSample;

    /** Samples every {@code interval}-th key; it must be the table's. */
    SummaryWriter(int interval) {
        if (interval < 1) {
            throw new IllegalArgumentException("index interval: " + interval + " (expected: at least 1)");
        }
        this.interval = interval;
    }

    /** Adds the next key, whose entry begins at {@code indexPosition}; keeps no reference to it. */
    public void add(Bytes key, long indexPosition) {
        makeRoom(key.length());
        key.copyTo(last, 0);
        added(indexPosition);
    }

    /** Adds the key of {@code entry}, whose copy begins at {@code indexPosition}. */
    void add(EntryCursor entry, long indexPosition) {
        makeRoom(entry.keyLengthBytes());
        entry.copyKeyTo(last);
        added(indexPosition);
    }

    private void makeRoom(int keyLength) {
        lastLength = keyLength;
        if (last.length < keyLength) {
            last = new byte[Math.max(keyLength, 2 * last.length)];
        }
    }

    private void added(long indexPosition) {
        if (untilSample == 0) {
            if (offsets.length() == 0) {
                first.put(last, 0, lastLength);
            }
            offsets.putInt(samples.length());
            samples.put(last, 0, lastLength).putLong(Long.reverseBytes(indexPosition));
            untilSample = interval;
        }
        untilSample--;
    }

    /** The first key. */
    Bytes firstKey() {
        return first.toBytes();
    }

    /** The last key so far. */
    Bytes lastKey() {
        return Bytes.wrap(Arrays.copyOf(last, lastLength));
    }

    /** The content of the file. */
    public Bytes encode() {
        if (offsets.length() == 0) {
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
        out.putInt(lastLength).put(last, 0, lastLength);
        return out.toBytes();
    }
}
