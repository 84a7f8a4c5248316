package io.sluice.sstable.data;

import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.ItemWindow;
import java.io.IOException;
import java.util.BitSet;

/**
 * Encodes which columns of the header a row has: below 64 columns as a bitmap of the missing ones, otherwise as a list.
 * Stateless.
 */
final class ColumnSubset {
    private static final int BITMAP_LIMIT = 64;

    private ColumnSubset() {}

    /** Reads which of {@code count} columns of the header are present, into {@code present}. */
    static void read(ItemWindow in, int count, BitSet present) throws IOException {
        present.clear();
        long first = in.readUnsignedVInt();
        if (count < BITMAP_LIMIT) {
            if (first >>> count != 0) {
                throw in.malformed(
                        "missing columns: " + Long.toHexString(first) + " (expected: bits below " + count + ")");
            }
            for (long left = ~first & ((1L << count) - 1); left != 0; left &= left - 1) {
                present.set(Long.numberOfTrailingZeros(left));
            }
            return;
        }
        int missing = (int) in.require("missing columns", first, count);
        if (count - missing >= count / 2) {
            readNumbers(in, missing, count, present);
            present.flip(0, count);
        } else {
            readNumbers(in, count - missing, count, present);
        }
    }

    private static void readNumbers(ItemWindow in, int howMany, int count, BitSet numbers) throws IOException {
        for (int i = 0; i < howMany; i++) {
            long number = in.readUnsignedVInt();
            if (number < numbers.length() || number >= count) {
                throw in.malformed("column number " + number + " (expected: from " + numbers.length() + " to "
                        + (count - 1) + ")");
            }
            numbers.set((int) number);
        }
    }

    /** Writes the set of present columns, of {@code count} in the header; not used if all are present. */
    static void write(BitSet present, int count, GrowingBuffer out) {
        BitSet missing = new BitSet(count);
        missing.set(0, count);
        missing.andNot(present);
        if (count < BITMAP_LIMIT) {
            out.putUnsignedVInt(missing.isEmpty() ? 0 : missing.toLongArray()[0]);
            return;
        }
        out.putUnsignedVInt(missing.cardinality());
        boolean listsPresent = present.cardinality() < count / 2;
        (listsPresent ? present : missing).stream().forEach(out::putUnsignedVInt);
    }
}
