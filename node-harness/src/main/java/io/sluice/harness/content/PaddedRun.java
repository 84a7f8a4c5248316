package io.sluice.harness.content;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.compression.CompressionInfo;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.data.SerializationHeader;
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
 * of content as a chunk has, and as long as two chunks at most. Stateless.
 */
final class PaddedRun {
    private static final int PADDING_CHUNKS = 2;
    /** Content of a chunk, padding, and what else may be padding of an earlier slice. */
    private static final int SEEN_CHUNKS = 4;

    private PaddedRun() {}

    /**
     * The run without padding: the last section begins behind it.
     *
     * @param run of the partitions in {@code range}
     */
    static List<Section> content(SSTable sstable, TokenRange range, Section run) throws IOException {
        Optional<CompressionInfo> compression = sstable.compression();
        if (compression.isEmpty()) {
            return List.of(run);
        }
        int chunkLength = compression.get().parameters().chunkLengthBytes();
        List<PartitionEntry> first = firstPartitions(sstable, range, run, (long) SEEN_CHUNKS * chunkLength);
        List<Section> candidates = first.stream()
                .filter(entry -> mayBePadding(entry, chunkLength))
                .map(entry -> new Section(entry.position(), entry.end()))
                .toList();
        List<Section> content = new ArrayList<>();
        long start = run.start();
        long seen = 0;
        try (PartitionReader partitions = open(sstable, candidates)) {
            for (PartitionEntry entry : first) {
                if (seen >= chunkLength) {
                    break;
                }
                if (mayBePadding(entry, chunkLength)
                        && isEmpty(partitions.next().orElseThrow())) {
                    add(content, start, entry.position());
                    start = entry.end();
                } else {
                    seen += entry.lengthBytes();
                }
            }
        }
        add(content, start, run.end());
        return content;
    }

    private static boolean mayBePadding(PartitionEntry entry, int chunkLength) {
        return entry.lengthBytes() < (long) PADDING_CHUNKS * chunkLength;
    }

    private static List<PartitionEntry> firstPartitions(SSTable sstable, TokenRange range, Section run, long bytes)
            throws IOException {
        List<PartitionEntry> first = new ArrayList<>();
        try (PartitionCursor partitions = sstable.fewPartitions()) {
            partitions.seekAfter(range.start());
            Optional<PartitionEntry> next = partitions.next();
            while (next.isPresent() && next.get().position() < Math.min(run.end(), run.start() + bytes)) {
                first.add(next.get());
                next = partitions.next();
            }
        }
        return first;
    }

    private static PartitionReader open(SSTable sstable, List<Section> partitions) throws IOException {
        SerializationHeader header =
                SerializationHeader.parse(sstable.statistics().header());
        return new PartitionReader(sstable.openData(), sstable.descriptor().version(), header, partitions);
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
