package io.sluice.sstable.generate;

import io.sluice.sstable.data.ClusteringOrder;
import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.DeletionTime;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.PartitionSource;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.merge.MergedPartitions;
import io.sluice.sstable.token.TokenRange;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Random partitions with everything that a table of any schema may hold: expiring cells, tombstones of all kinds,
 * static rows, multi-cell columns. The same seed gives the same content. As in files of a database, no data is shadowed
 * by deletions in the same file. Holds one partition in memory, and the keys that it is made with. Not thread-safe:
 * confined to one reader.
 */
public final class RandomTable implements PartitionSource {

    /**
     * How much of what to generate.
     *
     * @param partitions at most; fewer if the key type has fewer values
     * @param maxRows of a partition, 1 or more
     * @param deletions share of rows, cells and partitions that are deleted, and of rows where a range starts or ends;
     *     0 to 1
     */
    public record Shape(int partitions, int maxRows, double deletions) {
        public Shape {
            if (partitions < 1 || maxRows < 1 || !(deletions >= 0 && deletions <= 1)) {
                throw new IllegalArgumentException("shape: " + partitions + " partitions, " + maxRows + " rows, "
                        + deletions + " deleted (expected: at least 1, at least 1, 0 to 1)");
            }
        }
    }

    /** The base for encoding times in generated tables compactly. */
    public static final SerializationHeader.Base BASE =
            new SerializationHeader.Base(RandomRows.FIRST_TIMESTAMP, (int) RandomRows.FIRST_SECOND, 0);

    private final SerializationHeader header;
    private final Shape shape;
    private final long seed;
    private final Keys keys;

    /** Keys in the order of partitions. */
    @FunctionalInterface
    interface Keys {
        /** The next key; empty after the last. */
        Optional<PartitionKey> next() throws IOException;
    }

    /**
     * The seeds that make tables differ.
     *
     * @param keys the same seed, shape and key type give the same keys
     * @param rows content of the partitions
     */
    public record Seeds(long keys, long rows) {}

    /** Generates the content of this seed. */
    public static PartitionSource of(SerializationHeader header, Shape shape, long seed) {
        return of(header, shape, new Seeds(seed, seed), TokenRange.FULL);
    }

    /** Generates the partitions of these seeds in {@code range}; memory grows with the keys in the range only. */
    public static PartitionSource of(SerializationHeader header, Shape shape, Seeds seeds, TokenRange range) {
        Supplier<PartitionKey> drawn = draws(header, seeds.keys());
        TreeSet<PartitionKey> distinct = new TreeSet<>();
        for (int i = 0; i < shape.partitions(); i++) {
            PartitionKey key = drawn.get();
            if (range.contains(key.token())) {
                distinct.add(key);
            }
        }
        return of(header, shape, seeds.rows(), () -> Optional.ofNullable(distinct.pollFirst()));
    }

    /** Generates the partitions of these keys. */
    static PartitionSource of(SerializationHeader header, Shape shape, long seedOfRows, Keys keys) {
        PartitionSource withShadowed = new RandomTable(header, shape, seedOfRows, keys);
        return new MergedPartitions(List.of(withShadowed), new ClusteringOrder(header.clusteringTypes()));
    }

    /** Draws the keys of a seed one by one, in no order; a key may come again. */
    static Supplier<PartitionKey> draws(SerializationHeader header, long seedOfKeys) {
        RandomValues values = new RandomValues(new SplittableRandom(seedOfKeys));
        return () -> PartitionKey.of(values.next(header.keyType()));
    }

    private RandomTable(SerializationHeader header, Shape shape, long seed, Keys keys) {
        this.header = header;
        this.shape = shape;
        this.seed = seed;
        this.keys = keys;
    }

    @Override
    public Optional<Partition> next() throws IOException {
        return keys.next().map(this::partition);
    }

    private Partition partition(PartitionKey key) {
        RandomRows rows = new RandomRows(
                header, shape, new SplittableRandom(seed ^ key.hash().h1()));
        Row statics = header.staticColumns().isEmpty() ? Row.NO_STATICS : rows.row(ClusteringPrefix.STATIC);
        DeletionTime deletion = rows.maybeDeletion();
        return Partition.of(new PartitionHeader(key, deletion, statics), rows.items());
    }

    @Override
    public void close() {
        // nothing to close
    }
}
