package io.sluice.streaming.transfer;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.AttachedFile;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Crc32Combination;
import io.sluice.sstable.encoding.OutputFile;
import io.sluice.sstable.encoding.OutputFiles;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.AttachedFiles;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.ReceiverFeatures;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.transfer.block.WholeSSTables;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.zip.CRC32;

/**
 * Adds attached files to offers: for a whole SSTable its attached files; for parts, to which these files do not apply,
 * the names of its indexes, if the receiver's database builds them. Immutable.
 *
 * @param own the file for the header of the attached files; it does not exist yet
 */
record AttachedOffers(OutputFiles files, Path own, Runnable progress) {
    /**
     * Refuses an SSTable whose rows would be missing from an index at the receiver.
     *
     * @throws StreamException of code {@link ErrorCode#NOT_WHOLE}
     */
    static void requireIndexes(SSTable sstable, TransferMode mode, ReceiverFeatures receiver) {
        if (sstable.indexes().isEmpty() || receiver.buildsIndexes()) {
            return;
        }
        if (mode != TransferMode.WHOLE) {
            throw new StreamException(
                    ErrorCode.NOT_WHOLE,
                    sstable + " has secondary indexes, " + sstable.indexes()
                            + ", of which no part can be sent, and the receiver does not build indexes: stream ranges that"
                            + " contain the whole SSTable, or drop the indexes, stream, and create them again");
        }
        if (!receiver.takesAttached()) {
            throw new StreamException(
                    ErrorCode.NOT_WHOLE,
                    sstable + " has secondary indexes, " + sstable.indexes()
                            + ", whose files the receiver does not accept: upgrade it, or drop the indexes, stream, and"
                            + " create them again");
        }
        if (!sstable.incompleteIndexes().isEmpty()) {
            throw new StreamException(
                    ErrorCode.NOT_WHOLE,
                    sstable + " has secondary indexes beside it, " + sstable.incompleteIndexes()
                            + ", of which files are missing that its TOC.txt lists, and the receiver builds none: rebuild"
                            + " them here, or drop them, stream, and create them again");
        }
    }

    /** The offer with the attached files of {@code sstable}, as far as the receiver accepts them. */
    OfferedSSTable with(OfferedSSTable offered, SSTable sstable, ReceiverFeatures receiver) throws IOException {
        boolean isWhole = offered.offer().choice().mode() == TransferMode.WHOLE;
        SortedMap<AttachedFile, Long> travelling =
                isWhole && receiver.takesAttached() ? travelling(sstable) : new TreeMap<>();
        SortedSet<String> missing = receiver.buildsIndexes() ? missing(sstable, travelling.keySet()) : new TreeSet<>();
        return travelling.isEmpty() && missing.isEmpty() ? offered : with(offered, sstable, travelling, missing);
    }

    /** Of an index all files travel, or none. */
    private static SortedMap<AttachedFile, Long> travelling(SSTable sstable) {
        Set<String> incomplete = sstable.incompleteIndexes();
        SortedMap<AttachedFile, Long> travelling = new TreeMap<>(sstable.attached());
        travelling
                .keySet()
                .removeIf(file -> file.index().filter(incomplete::contains).isPresent());
        return travelling;
    }

    private static SortedSet<String> missing(SSTable sstable, Set<AttachedFile> travelling) {
        SortedSet<String> missing = new TreeSet<>(sstable.indexes());
        missing.removeAll(
                travelling.stream().flatMap(file -> file.index().stream()).collect(Collectors.toSet()));
        return missing;
    }

    private OfferedSSTable with(
            OfferedSSTable offered,
            SSTable sstable,
            SortedMap<AttachedFile, Long> travelling,
            SortedSet<String> missing)
            throws IOException {
        List<AttachedFiles.Entry> entries = new ArrayList<>();
        List<SourceRegion> regions = new ArrayList<>();
        ByteBuffer buffer = WholeSSTables.buffer();
        long crc32 = 0;
        for (Map.Entry<AttachedFile, Long> travels : travelling.entrySet()) {
            AttachedFile file = travels.getKey();
            Path path = sstable.path(file);
            long length = travels.getValue();
            long own = WholeSSTables.crc32(path, buffer, progress);
            entries.add(new AttachedFiles.Entry(file, length, own));
            crc32 = Crc32Combination.combine(crc32, own, length);
            if (length > 0) {
                regions.add(new SourceRegion(path, 0, length));
            }
        }
        AttachedFiles header = new AttachedFiles(entries, missing);
        regions.add(0, write(header.encode()));
        CRC32 first = new CRC32();
        first.update(header.encode());
        long all = Crc32Combination.combine(first.getValue(), crc32, header.lengthBytes() - header.headerBytes());
        SSTableOffer offer = offered.offer().and(new ComponentManifest(Component.ATTACHED, header.lengthBytes(), all));
        return new OfferedSSTable(offer, offered.directory(), offered.files(), offered.data(), regions);
    }

    private SourceRegion write(byte[] header) throws IOException {
        files.createDirectories(own.resolveSibling(".").normalize());
        try (OutputFile out = files.create(own)) {
            out.writeFully(ByteBuffer.wrap(header), 0);
        }
        return new SourceRegion(own, 0, header.length);
    }
}
