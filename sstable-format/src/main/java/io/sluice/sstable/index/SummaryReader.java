package io.sluice.sstable.index;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.Token;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Looks up samples of Index.db in Summary.db, without loading them. Not thread-safe: confined to its reader, which
 * closes it.
 */
public final class SummaryReader implements Closeable {
    private static final int WINDOW_BYTES = 1 << 12;
    private static final int MAX_SAMPLING_LEVEL = 128;
    private static final int SAMPLE_BYTES = Integer.BYTES + Long.BYTES;

    private final ComponentInput in;
    private final Header header;
    private final long base;
    private final Bytes firstKey;
    private final Bytes lastKey;

    private SummaryReader(ComponentInput in) throws IOException {
        this.in = in;
        this.header = Header.read(in);
        this.base = in.position();
        in.seek(base + header.lengthBytes());
        this.firstKey = readKey(in);
        this.lastKey = readKey(in);
        if (!in.isAtEnd()) {
            throw in.malformed(in.remaining() + " more bytes (expected: none after the last key)");
        }
    }

    /** A sampled key, and the position of its entry in Index.db. */
    public record Sample(PartitionKey key, long indexPosition) {}

    /**
     * The numbers before the samples.
     *
     * @param interval of the table: the sampling interval in keys at full level
     * @param samples in the file
     * @param lengthBytes of offsets and samples
     * @param level of sampling, 1 to 128
     * @param samplesAtFullLevel the number of samples at level 128
     */
    public record Header(int interval, int samples, long lengthBytes, int level, int samplesAtFullLevel) {
        private static Header read(ComponentInput in) throws IOException {
            int interval = (int) in.require("index interval", in.readInt(), 1, Integer.MAX_VALUE);
            int samples = in.readIntCount("samples", SAMPLE_BYTES);
            long length = in.readLong();
            int level = (int) in.require("sampling level", in.readInt(), 1, MAX_SAMPLING_LEVEL);
            int atFullLevel = (int) in.require("samples at full level", in.readInt(), samples, Integer.MAX_VALUE);
            in.require("length of samples", length, (long) samples * SAMPLE_BYTES, in.remaining());
            return new Header(interval, samples, length, level, atFullLevel);
        }
    }

    /** Opens {@code file}, and checks everything except its samples. */
    public static SummaryReader open(Path file) throws IOException {
        ComponentInput in = ComponentInput.open(file, WINDOW_BYTES);
        try {
            return new SummaryReader(in);
        } catch (IOException | RuntimeException failed) {
            in.close();
            throw failed;
        }
    }

    /**
     * Opens {@code file}; empty if it does not exist or is malformed: a summary only saves time. It has no checksum, so
     * what it says must be compared with the index.
     */
    public static Optional<SummaryReader> openIfUsable(Path file) throws IOException {
        try {
            return Optional.of(open(file));
        } catch (NoSuchFileException | SSTableException unusable) {
            return Optional.empty();
        }
    }

    public Header header() {
        return header;
    }

    /** The first key of the SSTable. */
    public PartitionKey firstKey() {
        return PartitionKey.of(firstKey);
    }

    /** The last key of the SSTable. */
    public PartitionKey lastKey() {
        return PartitionKey.of(lastKey);
    }

    /** Sample number {@code index}, from 0. */
    public Sample sample(int index) throws IOException {
        long start = offset(index);
        long end = index + 1 == header.samples() ? header.lengthBytes() : offset(index + 1);
        in.require("end of sample " + index, end, start + Long.BYTES, header.lengthBytes());
        in.seek(base + start);
        long keyLength = in.require("length of a key", end - start - Long.BYTES, 0, PartitionKey.MAX_LENGTH_BYTES);
        PartitionKey key = PartitionKey.of(in.readBytes(keyLength));
        return new Sample(key, in.require("position in Index.db", Long.reverseBytes(in.readLong()), 0, Long.MAX_VALUE));
    }

    /** The last sample, or empty if there is none. */
    Optional<Sample> last() throws IOException {
        return header.samples() == 0 ? Optional.empty() : Optional.of(sample(header.samples() - 1));
    }

    /** The last sample with a token up to {@code token}, or empty if all are greater. */
    public Optional<Sample> lastUpTo(Token token) throws IOException {
        int low = 0;
        int high = header.samples();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sample(middle).key().token().compareTo(token) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? Optional.empty() : Optional.of(sample(low - 1));
    }

    private long offset(int index) throws IOException {
        in.seek(base + (long) index * Integer.BYTES);
        long least = (long) header.samples() * Integer.BYTES;
        long offset = Integer.reverseBytes(in.readInt());
        if (offset < least || offset > header.lengthBytes()) { // a search reads many: no text for each
            throw in.malformed("offset of sample " + index + ": " + offset + " (expected: " + least + " to "
                    + header.lengthBytes() + ")");
        }
        return offset;
    }

    private static Bytes readKey(ComponentInput in) throws IOException {
        return in.readBytes(in.require("length of a key", in.readInt(), 0, PartitionKey.MAX_LENGTH_BYTES));
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
