package io.sluice.sstable.index;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.encoding.ItemWindow;
import io.sluice.sstable.key.Murmur3;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Hashes keys of partitions where they are in Data.db, in ascending order, without allocating objects. Not thread-safe:
 * confined to its copier; does not close the data.
 */
final class DataKeys {
    /** Pieces of this length at most are read whole, as they are checked whole. */
    private static final int LONGEST_STEP_BYTES = 1 << 16;
    /** Of unchecked data only the key is read. */
    private static final int UNCHECKED_STEP_BYTES = 1 << 7;

    private final DataReader data;
    private final int stepBytes;
    private byte[] window = new byte[0];
    private long start;
    private int filled;

    DataKeys(DataReader data) {
        this.data = data;
        this.stepBytes = data.pieceLengthBytes() > LONGEST_STEP_BYTES ? UNCHECKED_STEP_BYTES : data.pieceLengthBytes();
    }

    /** The hash of the key of the partition at a position. */
    Murmur3 hashAt(long position) throws IOException {
        int at = load(position, Short.BYTES);
        int keyLength = ItemWindow.unsignedShortAt(window, at);
        at = load(position, Short.BYTES + keyLength);
        return Murmur3.of(window, at + Short.BYTES, keyLength);
    }

    /** The index of a position, from which on the window has {@code count} bytes. */
    private int load(long position, int count) throws IOException {
        if (position < start || position + count > start + filled) {
            long end = position + count;
            if (end > data.lengthBytes()) {
                throw SSTableException.at(data.file(), position, "no partition (expected: one that the index names)");
            }
            filled = 0; // nothing is valid if reading fails
            start = position / stepBytes * stepBytes;
            int wanted =
                    (int) Math.min(data.lengthBytes() - start, (end - start + stepBytes - 1) / stepBytes * stepBytes);
            if (window.length < wanted) {
                window = new byte[wanted];
            }
            data.read(start, ByteBuffer.wrap(window, 0, wanted));
            filled = wanted;
        }
        return (int) (position - start);
    }
}
