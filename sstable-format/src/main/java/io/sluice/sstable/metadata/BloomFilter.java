package io.sluice.sstable.metadata;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.key.Murmur3;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/** Filter.db: no false negatives, some false positives. Not thread-safe while keys are added. */
public final class BloomFilter {
    private static final int MAX_HASHES = 64;
    private static final int PIECE_BYTES = 1 << 16;

    private final int hashCount;
    private final long[] words;
    private final long bits;
    private final long inverseOfBits;

    private BloomFilter(int hashCount, long[] words) {
        this.hashCount = hashCount;
        this.words = words;
        this.bits = Math.max(1, (long) words.length * Long.SIZE);
        this.inverseOfBits = Long.divideUnsigned(-1, bits);
    }

    /**
     * An empty filter.
     *
     * @param keys the number of keys
     * @param chance the false-positive chance, below 1
     */
    public static BloomFilter sized(long keys, double chance) {
        FilterShape shape = FilterShape.of(chance);
        return new BloomFilter(shape.hashCount(), new long[shape.wordsFor(keys)]);
    }

    /** The length of the file of a filter that {@link #sized} makes. */
    public static long lengthBytes(long keys, double chance) {
        return 2L * Integer.BYTES + (long) FilterShape.of(chance).wordsFor(keys) * Long.BYTES;
    }

    /**
     * Reads a file; an empty filter contains every key.
     *
     * @throws io.sluice.sstable.component.SSTableException if its length does not match its header
     */
    public static BloomFilter read(Path file, Version version) throws IOException {
        try (ComponentInput in = ComponentInput.open(file)) {
            if (in.isAtEnd()) {
                return new BloomFilter(0, new long[0]);
            }
            int hashCount = (int) in.require("number of hashes", in.readInt(), 1, MAX_HASHES);
            int wordCount = in.readIntCount("number of words", Long.BYTES);
            if (wordCount == 0 || in.remaining() != (long) wordCount * Long.BYTES) {
                throw in.malformed(in.remaining() + " more bytes (expected: " + wordCount + " words of 8, at least 1)");
            }
            var words = new long[wordCount];
            in.readLongs(words, order(version));
            return new BloomFilter(hashCount, words);
        }
    }

    /** Writes the content of the file. */
    public void write(ComponentOutput out, Version version) throws IOException {
        if (words.length > 0) {
            out.putInt(hashCount).putInt(words.length);
        }
        ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES).order(order(version));
        for (int at = 0; at < words.length; ) {
            int count = Math.min(words.length - at, PIECE_BYTES / Long.BYTES);
            piece.clear().asLongBuffer().put(words, at, count);
            out.put(piece.limit(count * Long.BYTES));
            at += count;
        }
    }

    private static ByteOrder order(Version version) {
        return version.hasLittleEndianFilter() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    }

    /** Adds a key by its hash. */
    public void add(Murmur3 hash) {
        long place = hash.h2();
        for (int j = 0; j < hashCount; j++, place += hash.h1()) {
            long bit = bitOf(place);
            words[(int) (bit >>> 6)] |= 1L << bit;
        }
    }

    /** Whether the key of this hash may be present. */
    public boolean mayContain(Murmur3 hash) {
        long place = hash.h2();
        for (int j = 0; j < hashCount; j++, place += hash.h1()) {
            long bit = bitOf(place);
            if ((words[(int) (bit >>> 6)] & 1L << bit) == 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * The remainder of the absolute {@code place}. The product with the inverse is the quotient or slightly less, and
     * several times as fast as a division, which would be needed for each hash of each key.
     */
    private long bitOf(long place) {
        long absolute = Math.abs(place);
        if (absolute < 0) {
            return Long.remainderUnsigned(absolute, bits);
        }
        long rest = absolute - Math.multiplyHigh(absolute, inverseOfBits) * bits;
        while (rest >= bits) {
            rest -= bits;
        }
        return rest;
    }

    /** Whether both accept exactly the same keys. */
    @Override
    public boolean equals(Object other) {
        return other instanceof BloomFilter that && hashCount == that.hashCount && Arrays.equals(words, that.words);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(words);
    }

    @Override
    public String toString() {
        return "filter of " + words.length + " words, " + hashCount + " hashes";
    }
}
