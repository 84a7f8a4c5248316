package io.sluice.sstable.generate;

import io.sluice.sstable.data.Column;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.type.CqlType.Scalar;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The content of a table {@code (key text, column1 int, value text, PRIMARY KEY (key, column1))}, generated from a
 * seed: equal seeds give equal rows, different seeds give different keys and values. Values are text that compresses to
 * about a half. Immutable.
 */
public final class DataSet {
    /** CQL of the table, to be formatted with keyspace and name. */
    public static final String CREATE_TABLE = "CREATE TABLE %s.%s (key text, column1 int, value text,"
            + " PRIMARY KEY (key, column1)) WITH compression = {'enabled': false};";

    static final Column VALUE = Column.of("value", Scalar.TEXT);

    private static final int KEY_LENGTH = 16;
    private static final int POOL_LENGTH = 1 << 22;
    private static final int MAX_VALUE_LENGTH = 1 << 20;
    private static final long FIRST_TIMESTAMP = 1_700_000_000_000_000L;
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final long seed;
    private final long partitions;
    private final int rowsPerPartition;
    private final int valueLength;
    private final Bytes pool;

    /**
     * Creates a data set of exactly this shape.
     *
     * @param valueLength bytes of each value, 1 to 1 MiB
     */
    public DataSet(long seed, long partitions, int rowsPerPartition, int valueLength) {
        if (partitions < 1 || rowsPerPartition < 1 || valueLength < 1 || valueLength > MAX_VALUE_LENGTH) {
            throw new IllegalArgumentException("data set: " + partitions + " partitions, " + rowsPerPartition
                    + " rows, values of " + valueLength + " (expected: at least 1 each, values at most "
                    + MAX_VALUE_LENGTH + ")");
        }
        this.seed = seed;
        this.partitions = partitions;
        this.rowsPerPartition = rowsPerPartition;
        this.valueLength = valueLength;
        this.pool = pool(seed);
    }

    /**
     * Creates a data set of about {@code bytes} bytes of uncompressed Data.db, in partitions of about 1 KiB with ten
     * rows.
     */
    public static DataSet ofBytes(long seed, long bytes) {
        int rows = 10;
        int length = 88;
        return new DataSet(seed, Math.max(1, bytes / partitionLength(rows, length)), rows, length);
    }

    private static long partitionLength(int rows, int valueLength) {
        int rowOverhead = 14; // flags, clustering, sizes, timestamp, cell
        return 2 + KEY_LENGTH + 12 + 1 + (long) rows * (valueLength + rowOverhead);
    }

    public long partitions() {
        return partitions;
    }

    public int rowsPerPartition() {
        return rowsPerPartition;
    }

    /** Columns and time base of the table. */
    public SerializationHeader header() {
        return new SerializationHeader(
                new SerializationHeader.Base(
                        FIRST_TIMESTAMP,
                        SerializationHeader.Base.EPOCH.localDeletionTime(),
                        SerializationHeader.Base.EPOCH.ttl()),
                Scalar.TEXT,
                List.of(Scalar.INT),
                List.of(),
                List.of(VALUE));
    }

    /** Fills {@code key}, of 16 bytes, with the key of a partition: hex digits, unique for each number. */
    void fillKey(long partition, byte[] key) {
        long mixed = mix(seed + partition * 0x9e3779b97f4a7c15L); // a bijection, so keys are unique
        for (int i = KEY_LENGTH - 1; i >= 0; i--) {
            key[i] = HEX[(int) (mixed & 0xf)];
            mixed >>>= 4;
        }
    }

    byte[] newKey() {
        return new byte[KEY_LENGTH];
    }

    long timestamp(long partition) {
        return FIRST_TIMESTAMP + partition % 1_000_000;
    }

    Bytes value(long partition, int row) {
        long at = Long.remainderUnsigned(
                mix(seed ^ (partition * rowsPerPartition + row)), POOL_LENGTH - (long) valueLength);
        return pool.slice((int) at, valueLength);
    }

    private static long mix(long number) {
        long z = (number ^ (number >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    /** The text from which all values are taken: words of a small vocabulary, between numbers that hardly compress. */
    private static Bytes pool(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        StringBuilder text = new StringBuilder(POOL_LENGTH + 64);
        while (text.length() < POOL_LENGTH) {
            text.append(WORDS.get(random.nextInt(WORDS.size()))).append(' ');
            if (random.nextInt(4) == 0) {
                text.append(Long.toString(random.nextLong() >>> 1, 36)).append(' ');
            }
        }
        return Bytes.utf8(text.substring(0, POOL_LENGTH));
    }

    private static final List<String> WORDS = List.of("""
            river sluice gate water stream flood basin canal weir lock reservoir spring delta current channel harbour
            mill wheel bridge meadow valley estuary tide lake rain cloud snow glacier creek brook pond marsh""".split("\\s", -1));
}
