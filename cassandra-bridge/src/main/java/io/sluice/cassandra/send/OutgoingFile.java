package io.sluice.cassandra.send;

import io.sluice.cassandra.wire.FileHeader;
import io.sluice.cassandra.wire.PartCompression;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.compression.ChunkTable;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.index.Section;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The header of a file and the location of the bytes that follow it. Immutable.
 *
 * @param header as encoded on the wire
 * @param regions of files that are sent unchanged, in this order
 * @param plainSections of {@code sstable} that are sent as LZ4 blocks, after the regions
 * @param sstable to which the file belongs
 */
public record OutgoingFile(FileHeader header, List<Region> regions, List<Section> plainSections, SSTable sstable) {
    /**
     * Assumed size of a partition, for the node's Bloom filter, where the exact count would require reading the index.
     */
    private static final long SMALL_PARTITION_BYTES = 256;

    public OutgoingFile {
        regions = List.copyOf(regions);
        plainSections = List.copyOf(plainSections);
    }

    /** Bytes of a file. */
    public record Region(Path file, long offset, long lengthBytes) {}

    /** Prepares {@code transfer}; reads the positions of its partitions and chunks. */
    public static OutgoingFile of(SSTableTransfer transfer, FileHeader.Route route) throws IOException {
        if (transfer instanceof SSTableTransfer.Whole whole) {
            return whole(whole, route);
        }
        if (transfer instanceof SSTableTransfer.Slice) {
            throw new IllegalArgumentException(transfer + " (expected: already cut)");
        }
        if (transfer instanceof SSTableTransfer.Part part) {
            return part(part.sstable(), part.sstable().sections(part.ranges()), route);
        }
        throw new AssertionError("no rule for " + transfer);
    }

    private static OutgoingFile whole(SSTableTransfer.Whole transfer, FileHeader.Route route) {
        SSTable sstable = transfer.sstable();
        List<FileHeader.Entry> manifest = transfer.components().stream()
                .map(component -> new FileHeader.Entry(component.name(), component.lengthBytes()))
                .toList();
        List<Region> regions = transfer.components().stream()
                .filter(component -> component.lengthBytes() > 0)
                .map(component -> new Region(
                        sstable.directory().resolve(sstable.descriptor() + "-" + component.name()),
                        0,
                        component.lengthBytes()))
                .toList();
        var entire = new FileHeader.Whole(manifest, sstable.firstKey().bytes());
        FileHeader header = header(route, sstable, List.of(), Optional.empty(), Optional.of(entire));
        return new OutgoingFile(header, regions, List.of(), sstable);
    }

    /** Prepares a slice that has been cut. */
    static OutgoingFile slice(SliceWriter.SliceRegions slice, FileHeader.Route route) {
        SSTable files = slice.files();
        List<FileHeader.Entry> manifest = new ArrayList<>();
        List<Region> regions = new ArrayList<>();
        for (Component component : files.components()) {
            Path file = files.path(component);
            if (component == Component.DATA) {
                manifest.add(new FileHeader.Entry(component.fileName(), slice.dataBytes()));
                slice.data()
                        .forEach(region ->
                                regions.add(new Region(region.file(), region.offset(), region.lengthBytes())));
            } else if (component.isStreamed()) {
                manifest.add(new FileHeader.Entry(component.fileName(), files.lengthBytes(component)));
                regions.add(new Region(file, 0, files.lengthBytes(component)));
            }
        }
        var entire = new FileHeader.Whole(manifest, files.firstKey().bytes());
        FileHeader header = header(route, files, List.of(), Optional.empty(), Optional.of(entire));
        regions.removeIf(region -> region.lengthBytes() == 0);
        return new OutgoingFile(header, regions, List.of(), files);
    }

    private static OutgoingFile part(SSTable sstable, List<Section> sections, FileHeader.Route route)
            throws IOException {
        if (sstable.isCompressed()) {
            return compressedPart(sstable, sections, route);
        }
        FileHeader header = header(route, sstable, sections, Optional.empty(), Optional.empty());
        return new OutgoingFile(header, List.of(), sections, sstable);
    }

    private static OutgoingFile compressedPart(SSTable sstable, List<Section> sections, FileHeader.Route route)
            throws IOException {
        Path data = sstable.path(Component.DATA);
        var chunks = new PartCompression.Builder();
        List<Region> regions = new ArrayList<>();
        CompressionParameters parameters;
        try (ChunkTable table =
                ChunkTable.open(sstable.path(Component.COMPRESSION_INFO), sstable.lengthBytes(Component.DATA))) {
            parameters = table.info().parameters();
            long next = 0;
            for (Section section : sections) {
                long first = Math.max(next, section.start() / parameters.chunkLengthBytes());
                long last = (section.end() - 1) / parameters.chunkLengthBytes();
                if (first > last) {
                    continue; // shares its only chunk with the previous section
                }
                long start = table.chunk(first).position();
                long end = start;
                for (long index = first; index <= last; index++) {
                    ChunkTable.Chunk chunk = table.chunk(index);
                    chunks.add(chunk);
                    end = chunk.end();
                }
                regions.add(new Region(data, start, end - start));
                next = last + 1;
            }
        }
        FileHeader header = header(route, sstable, sections, Optional.of(chunks.build(parameters)), Optional.empty());
        return new OutgoingFile(header, regions, List.of(), sstable);
    }

    private static FileHeader header(
            FileHeader.Route route,
            SSTable sstable,
            List<Section> sections,
            Optional<PartCompression> compression,
            Optional<FileHeader.Whole> whole) {
        long bytes = sections.stream().mapToLong(Section::lengthBytes).sum();
        return new FileHeader(
                route,
                sstable.descriptor().version().letters(),
                sstable.descriptor().version().format().fileNamePart(),
                bytes / SMALL_PARTITION_BYTES,
                sections,
                compression,
                0,
                sstable.statistics().header(),
                whole);
    }

    /** Bytes that follow the header; plain sections count before compression. */
    public long lengthBytes() {
        return regions.stream().mapToLong(Region::lengthBytes).sum()
                + plainSections.stream().mapToLong(Section::lengthBytes).sum();
    }
}
