package io.sluice.harness.content;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.compression.CompressionInfo;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.index.PartitionEntry;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.TokenRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds the padding partitions of a compressed slice. They are where the content of a run begins, within as many bytes
 * of content as a chunk has, and shorter than two chunks. Stateless.
 */
final class PaddedRun {
    private static final int PADDING_CHUNKS = 2;

    private PaddedRun() {}

    /**
     * The run without padding: the last section begins behind it.
     *
     * @param run of the partitions in {@code range}
     * @throws SSTableException if index and data disagree about partitions
     */
    static List<Section> content(SSTable sstable, TokenRange range, Section run) throws IOException {
        Optional<CompressionInfo> compression = sstable.compression();
        if (compression.isEmpty()) {
            return List.of(run);
        }
        int chunkLength = compression.get().parameters().chunkLengthBytes();
        List<Section> content = new ArrayList<>();
        long start = run.start();
        long seen = 0;
        try (PartitionCursor entries = sstable.fewPartitions();
                PartitionReader partitions = open(sstable, run)) {
            entries.seekAfter(range.start());
            Optional<PartitionEntry> next = entries.next();
            while (seen < Math.min(chunkLength, SliceWriter.PADDING_WINDOW_BYTES)
                    && next.isPresent()
                    && next.get().end() <= run.end()
                    && next.get().lengthBytes() < (long) PADDING_CHUNKS * chunkLength) {
                PartitionEntry entry = next.get();
                Optional<Partition> partition = partitions.next();
                if (partition.isEmpty() || partitions.itemPosition() != entry.position()) {
                    throw new SSTableException(sstable + ": partition " + entry.key() + " at " + entry.position()
                            + " by its index, at " + partitions.itemPosition() + " by its data (expected: the same)");
                }
                if (isEmpty(partition.get())) {
                    add(content, start, entry.position());
                    start = entry.end();
                } else {
                    seen += entry.lengthBytes();
                }
                next = entries.next();
            }
        }
        add(content, start, run.end());
        return content;
    }

    private static PartitionReader open(SSTable sstable, Section run) throws IOException {
        SerializationHeader header =
                SerializationHeader.parse(sstable.statistics().header());
        return new PartitionReader(sstable.openData(), sstable.descriptor().version(), header, List.of(run));
    }

    private static boolean isEmpty(Partition partition) throws IOException {
        PartitionHeader header = partition.header();
        return header.deletion().isLive()
                && header.staticRow().isEmpty()
                && partition.next().isEmpty();
    }

    private static void add(List<Section> content, long start, long end) {
        if (start < end) {
            content.add(new Section(start, end));
        }
    }
}
