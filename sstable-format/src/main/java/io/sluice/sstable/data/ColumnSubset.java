package io.sluice.sstable.data;

import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.VInts;
import java.nio.ByteBuffer;
import java.util.BitSet;

/** Which columns of the header a row has. Below 64 columns a bitmap of the missing, else a list. Stateless. */
final class ColumnSubset {
    private static final int BITMAP_LIMIT = 64;

    private ColumnSubset() {}

    /** Reads the set of present columns, of {@code count} in the header. */
    static BitSet read(ByteBuffer in, int count) throws MalformedException {
        BitSet present = new BitSet(count);
        present.set(0, count);
        long first = VInts.readUnsigned(in);
        if (count < BITMAP_LIMIT) {
            if (first >>> count != 0) {
                throw new MalformedException(
                        "missing columns: " + Long.toHexString(first) + " (expected: bits below " + count + ")");
            }
            present.andNot(BitSet.valueOf(new long[] {first}));
            return present;
        }
        if (first < 0 || first > count) {
            throw new MalformedException("missing columns: " + first + " (expected: at most " + count + ")");
        }
        int missing = (int) first;
        if (count - missing >= count / 2) {
            present.andNot(numbers(in, missing, count));
            return present;
        }
        return numbers(in, count - missing, count);
    }

    private static BitSet numbers(ByteBuffer in, int howMany, int count) throws MalformedException {
        BitSet numbers = new BitSet(count);
        for (int i = 0; i < howMany; i++) {
            long number = VInts.readUnsigned(in);
            if (number < numbers.length() || number >= count) {
                throw new MalformedException("column number " + number + " (expected: from " + numbers.length() + " to "
                        + (count - 1) + ")");
            }
            numbers.set((int) number);
        }
        return numbers;
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
