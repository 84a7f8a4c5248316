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
        if (isSampled()) {
            sample(last, 0, lastLength, indexPosition);
        }
    }

    /** Counts the next key; if it returns true, {@link #sample} must follow. */
    boolean isSampled() {
        if (untilSample > 0) {
            untilSample--;
            return false;
        }
        untilSample = interval - 1;
        return true;
    }

    /** Adds the counted key, {@code length} bytes from {@code offset} on; its entry begins at {@code indexPosition}. */
    void sample(byte[] bytes, int offset, int length, long indexPosition) {
        if (offsets.length() == 0) {
            first.put(bytes, offset, length);
        }
        offsets.putInt(samples.length());
        samples.put(bytes, offset, length).putLong(Long.reverseBytes(indexPosition));
    }

    /** Sets the last key so far, after keys that were only counted. */
    void last(byte[] bytes, int offset, int length) {
        makeRoom(length);
        System.arraycopy(bytes, offset, last, 0, length);
    }

    private void makeRoom(int keyLength) {
        lastLength = keyLength;
        if (last.length < keyLength) {
            last = new byte[Math.max(keyLength, 2 * last.length)];
        }
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
