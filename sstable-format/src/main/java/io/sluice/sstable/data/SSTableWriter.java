package io.sluice.sstable.data;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.encoding.OutputFiles;
import io.sluice.sstable.metadata.CompactionState;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes a new SSTable, row by row. Memory grows only with the number of partitions, by 16 bytes each for the filter,
 * and with the block index of one partition. Nothing is visible before {@link #finish()}; if it is closed without,
 * nothing is left.
 *
 * <p>Not thread-safe: confined to one writer, which closes it.
 */
public final class SSTableWriter implements Closeable {
    private static final int FLUSH_BYTES = 1 << 16;

    private final SerializationHeader header;
    private final RowEncoder encoder;
    private final BlockIndex blockIndex;
    private final ContentStatistics statistics;
    private final NewSSTable files;
    private final CompactionState placement;
    private final GrowingBuffer items = new GrowingBuffer();
    private @Nullable PartitionHeader partition;
    private long partitionStart;
    private long itemStart;

    private SSTableWriter(
            Descriptor descriptor, SerializationHeader header, NewSSTable files, CompactionState placement) {
        this.header = header;
        this.encoder = new RowEncoder(descriptor.version(), header);
        this.blockIndex = BlockIndex.of(files.index(), header, encoder);
        this.statistics = new ContentStatistics(descriptor.version(), header);
        this.files = files;
        this.placement = placement;
    }

    /**
     * Begins an SSTable in {@code directory} on this machine, which must exist, without an SSTable of that name.
     *
     * @param header all columns that rows may have; its base should be near the minimum times of the content
     */
    public static SSTableWriter create(
            Path directory, Descriptor descriptor, SerializationHeader header, WriterOptions options)
            throws IOException {
        return create(new LocalFiles(), directory, descriptor, header, options);
    }

    /** Begins an SSTable whose writes, name changes and syncs use {@code out}. */
    public static SSTableWriter create(
            OutputFiles out, Path directory, Descriptor descriptor, SerializationHeader header, WriterOptions options)
            throws IOException {
        NewSSTable files = NewSSTable.create(new NewSSTable.Place(out, directory, descriptor), options, true);
        return new SSTableWriter(descriptor, header, files, options.placement());
    }

    /** Removes the files that a writer of that SSTable has left in {@code directory}, finished or not. */
    public static void clear(OutputFiles files, Path directory, Descriptor descriptor) throws IOException {
        new NewSSTable.Place(files, directory, descriptor).clear();
    }

    /** Writes all remaining partitions of {@code source}. */
    public void appendAll(PartitionSource source) throws IOException {
        for (Optional<Partition> next = source.next(); next.isPresent(); next = source.next()) {
            append(next.get());
        }
    }

    /** Writes a whole partition; see {@link #start} for the order. Skips a partition without content. */
    public void append(Partition source) throws IOException {
        Optional<Unfiltered> item = source.next();
        PartitionHeader head = source.header();
        if (item.isEmpty() && head.deletion().isLive() && head.staticRow().isEmpty()) {
            return;
        }
        start(head);
        for (; item.isPresent(); item = source.next()) {
            add(item.get());
        }
        end();
    }

    /**
     * Begins a partition.
     *
     * @throws IllegalArgumentException if its key is not greater than the previous one, or the version cannot express
     *     its content: {@code oa} has no partition deletions before 1970
     */
    public void start(PartitionHeader next) throws IOException {
        if (partition != null && partition.compareTo(next) >= 0) {
            throw new IllegalArgumentException(
                    "partition " + next.key() + " after " + partition.key() + " (expected: ascending)");
        }
        partition = next;
        partitionStart = dataLengthBytes();
        encoder.writeHeader(next, items);
        statistics.start(next);
        blockIndex.start(offsetInPartition());
        itemStart = 0;
    }

    /** Adds the next row or marker, in clustering order. */
    public void add(Unfiltered item) throws IOException {
        long start = offsetInPartition();
        encoder.write(item, start - itemStart, items);
        itemStart = start;
        statistics.add(item);
        blockIndex.add(item, offsetInPartition());
        flushIfFull();
    }

    /** Ends the partition. */
    public void end() throws IOException {
        PartitionHeader ending = current();
        items.putByte(RowFlags.END);
        long length = offsetInPartition();
        statistics.finish(length);
        blockIndex.finish(ending, partitionStart, length);
        files.addHash(ending.key().hash());
        flushIfFull();
    }

    /** Whether no partition was written: then the SSTable cannot be finished. */
    public boolean isEmpty() {
        return partition == null;
    }

    /** Uncompressed bytes written so far. */
    public long dataLengthBytes() {
        return files.dataLengthBytes() + items.length();
    }

    /**
     * Makes the SSTable durable and visible, its TOC last.
     *
     * @throws IllegalStateException if no partition was written: an SSTable cannot be empty
     */
    public SSTable finish() throws IOException {
        current();
        flush();
        return files.finish(header.toBytes(), ratio -> statistics.build(ratio, placement))
                .sstable();
    }

    /** Closes the files; deletes them unless {@link #finish()} has returned. */
    @Override
    public void close() throws IOException {
        files.close();
    }

    private long offsetInPartition() {
        return dataLengthBytes() - partitionStart;
    }

    private void flushIfFull() throws IOException {
        if (items.length() >= FLUSH_BYTES) {
            flush();
        }
    }

    private void flush() throws IOException {
        files.addData(items.written());
        items.clear();
    }

    private PartitionHeader current() {
        if (partition == null) {
            throw new IllegalStateException("no partition was started");
        }
        return partition;
    }
}
