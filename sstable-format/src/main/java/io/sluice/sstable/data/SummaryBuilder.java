package io.sluice.sstable.data;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds Summary.db: every n-th key with the position of its entry in Index.db. Not thread-safe: confined to its
 * writer.
 *
 * <pre>
 * i32 interval, i32 entries, i64 length of offsets and entries, i32 sampling level 128, i32 entries,
 * i32 offset of each entry (little-endian), entries: key, i64 position in Index.db (little-endian),
 * i32 length + first key, i32 length + last key
 * </pre>
 */
final class SummaryBuilder {
    private static final int FULL_SAMPLING = 128;

    private final int interval;
    private final GrowingBuffer entries = new GrowingBuffer();
    private final List<Integer> offsets = new ArrayList<>();
    private long keys;
    private Bytes firstKey = Bytes.EMPTY;
    private Bytes lastKey = Bytes.EMPTY;

    SummaryBuilder(int interval) {
        this.interval = interval;
    }

    void add(Bytes key, long indexPosition) {
        if (keys == 0) {
            firstKey = key;
        }
        lastKey = key;
        if (keys % interval == 0) {
            offsets.add(entries.length());
            entries.put(key).putLong(Long.reverseBytes(indexPosition));
        }
        keys++;
    }

    GrowingBuffer build() {
        int offsetsLength = Integer.BYTES * offsets.size();
        GrowingBuffer out = new GrowingBuffer();
        out.putInt(interval).putInt(offsets.size()).putLong((long) offsetsLength + entries.length());
        out.putInt(FULL_SAMPLING).putInt(offsets.size());
        offsets.forEach(offset -> out.putInt(Integer.reverseBytes(offsetsLength + offset)));
        out.put(entries);
        out.putInt(firstKey.length()).put(firstKey);
        out.putInt(lastKey.length()).put(lastKey);
        return out;
    }
}
