package io.sluice.sstable.generate;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.PartitionSource;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.schema.TableSchema;
import io.sluice.sstable.token.TokenRange;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Writes SSTables of any schema with random content of every kind. The same arguments give the same files. Memory does
 * not grow with the size: keys are sorted in files of the directory. Not thread-safe: confined to one call.
 */
public final class TableGenerator {
    private static final int SAMPLE_PARTITIONS = 200;
    private static final int MAX_ROWS = 20;
    private static final double DELETIONS = 0.05;
    private static final long LEVELED_SSTABLE_BYTES = 160L << 20;
    /** About 30 MB; sorting reads one file for each so many keys. */
    private static final int KEYS_IN_MEMORY = 1 << 17;

    private final TableSchema schema;
    private final SerializationHeader header;
    private final Version version;
    private final WriterOptions options;
    private final Listener listener;
    private final int keysInMemory;

    /**
     * What to generate.
     *
     * @param bytes approximate total of uncompressed Data.db, at least 1
     * @param partitions total limit of partitions, in place of {@code bytes}
     * @param sstables how many; by default one for each 160 MiB
     * @param overlapping whether each SSTable spans the ring, and shares its partitions with another (as size-tiered
     *     compaction leaves them); otherwise each has its own tokens (as leveled compaction does)
     */
    public record Order(long bytes, OptionalInt partitions, OptionalInt sstables, boolean overlapping, long seed) {
        public Order {
            if (bytes < 1 || partitions.orElse(1) < 1 || sstables.orElse(1) < 1) {
                throw new IllegalArgumentException("order: " + bytes + " bytes, partitions " + partitions
                        + ", SSTables " + sstables + " (expected: at least 1 each)");
            }
        }
    }

    /** Learns of SSTables as they are made; what it throws ends the work. */
    @FunctionalInterface
    public interface Listener {
        /** A partition of so many bytes of Data.db was written. */
        void partition(long lengthBytes);

        /** The files of this SSTable are made next. */
        default void begins(Descriptor descriptor) throws IOException {}
    }

    /** @param listener is called by the thread that writes */
    public TableGenerator(TableSchema schema, Version version, WriterOptions options, Listener listener) {
        this(schema, version, options, listener, KEYS_IN_MEMORY);
    }

    TableGenerator(TableSchema schema, Version version, WriterOptions options, Listener listener, int keysInMemory) {
        this.keysInMemory = keysInMemory;
        this.schema = schema;
        this.header = schema.header(RandomTable.BASE);
        this.version = version;
        this.options = options;
        this.listener = listener;
    }

    /** Writes the SSTables to {@code directory}, which exists and has no SSTables with these names; ids begin at 1. */
    public List<Descriptor> write(Path directory, Order order) throws IOException {
        RandomTable.Shape shape = new RandomTable.Shape(partitions(directory, order), maxRows(), DELETIONS);
        int count = order.sstables().orElse(Math.toIntExact(Math.max(1, order.bytes() / LEVELED_SSTABLE_BYTES)));
        return order.overlapping()
                ? writeOverlapping(directory, order, shape, count)
                : writeSlices(directory, order, shape, count);
    }

    private List<Descriptor> writeSlices(Path directory, Order order, RandomTable.Shape shape, int count)
            throws IOException {
        List<Descriptor> written = new ArrayList<>();
        try (SortedKeys keys = sorted(directory, order.seed(), shape)) {
            for (int i = 0; i < count; i++) {
                TokenRange slice = slice(i, count);
                written.addAll(write(directory, i, shape, order.seed(), () -> next(keys, slice)));
            }
        }
        return List.copyOf(written);
    }

    /** Pairs of SSTables have the same keys with different rows. */
    private List<Descriptor> writeOverlapping(Path directory, Order order, RandomTable.Shape all, int count)
            throws IOException {
        RandomTable.Shape share =
                new RandomTable.Shape(Math.max(1, all.partitions() / count), all.maxRows(), all.deletions());
        List<Descriptor> written = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            try (SortedKeys keys = sorted(directory, order.seed() + i / 2, share)) {
                written.addAll(write(directory, i, share, order.seed() + i, () -> next(keys, TokenRange.FULL)));
            }
        }
        return List.copyOf(written);
    }

    private SortedKeys sorted(Path directory, long seed, RandomTable.Shape shape) throws IOException {
        return SortedKeys.draw(RandomTable.draws(header, seed), shape.partitions(), keysInMemory, directory);
    }

    /** The next key, if it is in the range; ranges come in the order of tokens. */
    private static Optional<PartitionKey> next(SortedKeys keys, TokenRange range) throws IOException {
        Optional<PartitionKey> next = keys.peek().filter(key -> range.contains(key.token()));
        if (next.isPresent()) {
            keys.advance();
        }
        return next;
    }

    private List<Descriptor> write(
            Path directory, int number, RandomTable.Shape shape, long seedOfRows, RandomTable.Keys keys)
            throws IOException {
        Descriptor descriptor = new Descriptor(version, new SSTableId.Sequence(number + 1));
        try (PartitionSource content = RandomTable.of(header, shape, seedOfRows, keys)) {
            return write(directory, descriptor, content).map(SSTable::descriptor).stream()
                    .toList();
        }
    }

    private int maxRows() {
        return schema.columns().clustering().isEmpty() ? 1 : MAX_ROWS;
    }

    private static TokenRange slice(int number, int count) {
        return count == 1 ? TokenRange.FULL : TokenRange.of(cut(number, count), cut(number + 1, count));
    }

    private static long cut(int number, int count) {
        return number == count
                ? Long.MAX_VALUE
                : BigInteger.ONE
                        .shiftLeft(Long.SIZE)
                        .multiply(BigInteger.valueOf(number))
                        .divide(BigInteger.valueOf(count))
                        .add(BigInteger.valueOf(Long.MIN_VALUE))
                        .longValueExact();
    }

    /** Estimates how many partitions make the bytes, from a sample that is deleted again. */
    private int partitions(Path directory, Order order) throws IOException {
        if (order.partitions().isPresent()) {
            return order.partitions().getAsInt();
        }
        RandomTable.Shape sample = new RandomTable.Shape(SAMPLE_PARTITIONS, maxRows(), DELETIONS);
        Descriptor descriptor = new Descriptor(version, new SSTableId.Sequence(0));
        listener.begins(descriptor);
        try (PartitionSource content = RandomTable.of(header, sample, order.seed());
                SSTableWriter writer = SSTableWriter.create(directory, descriptor, header, options)) {
            int count = 0;
            for (var next = content.next(); next.isPresent(); next = content.next()) {
                writer.append(next.get());
                count++;
            }
            double partitions = (double) order.bytes() / writer.dataLengthBytes() * count;
            return (int) Math.max(1, Math.min(partitions, Integer.MAX_VALUE));
        }
    }

    /** Empty if there was nothing to write. */
    private Optional<SSTable> write(Path directory, Descriptor descriptor, PartitionSource content) throws IOException {
        var next = content.next();
        if (next.isEmpty()) {
            return Optional.empty();
        }
        listener.begins(descriptor);
        try (SSTableWriter writer = SSTableWriter.create(directory, descriptor, header, options)) {
            long reported = 0;
            while (next.isPresent()) {
                writer.append(next.get());
                listener.partition(writer.dataLengthBytes() - reported);
                reported = writer.dataLengthBytes();
                next = content.next();
            }
            return Optional.of(writer.finish());
        }
    }
}
