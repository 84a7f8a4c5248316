package io.sluice.streaming.install;

import io.sluice.sstable.Coverage;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.index.PartitionEntry;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.metadata.Statistics;
import io.sluice.sstable.metadata.Stats;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.AttachedFiles;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.transfer.partial.PartialFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/** The final verification of a received SSTable before it may become live. Thread-safe. */
public interface ReceivedSSTableCheck {
    /**
     * Checks that the files of {@code descriptor} in {@code directory} are a readable SSTable that equals the offer and
     * has partitions in {@code ranges} only.
     *
     * @return its statistics with its level set to 0, all else unchanged, such as the repair time; empty if it is at
     *     level 0
     * @throws StreamException of code {@link ErrorCode#OUT_OF_RANGE} or {@link ErrorCode#PROTOCOL} if it differs from
     *     the offer; {@link ErrorCode#CORRUPT_AT_SOURCE} if it is malformed, although its files have the offered
     *     checksums
     * @throws IOException if the disk fails
     */
    Optional<Bytes> check(Path directory, Descriptor descriptor, SSTableOffer offer, TokenRanges ranges)
            throws IOException;

    /**
     * Writes the SSTable {@code descriptor} from received rows, durably.
     *
     * @param disk on which it is written
     * @param part the file with the rows
     * @return whether an SSTable was written: not if no partition had content
     * @throws StreamException if the rows are corrupt or outside the requested ranges; then no SSTable is left
     * @throws IOException if the disk fails
     */
    default boolean makeSSTable(Disk disk, Path part, Path directory, Descriptor descriptor, TokenRanges ranges)
            throws IOException {
        return PartialFile.toSSTable(disk, part, directory, descriptor, ranges);
    }

    /**
     * Unpacks the attached files of an SSTable, durably.
     *
     * @param disk on which they are written
     * @param attached the received container file
     * @throws StreamException of code {@link ErrorCode#CORRUPT_AT_SOURCE} if it is not well-formed
     * @throws IOException if the disk fails
     */
    default AttachedFiles unpack(Disk disk, Path attached, Path directory, Descriptor descriptor) throws IOException {
        return UnpackedFiles.make(disk, attached, directory, descriptor);
    }

    /**
     * Opens the SSTable and compares it with the offer; reads all partition keys only if its first and last token are
     * not sufficient.
     */
    static ReceivedSSTableCheck opening() {
        return ReceivedSSTableCheck::open;
    }

    private static Optional<Bytes> open(Path directory, Descriptor descriptor, SSTableOffer offer, TokenRanges ranges)
            throws IOException {
        try {
            SSTable sstable = SSTable.open(directory, descriptor);
            compare(sstable, offer, ranges);
            return atLevelZero(sstable.statistics());
        } catch (SSTableException malformed) {
            // Its files have the offered checksums: this disk did not corrupt them.
            throw new StreamException(
                    ErrorCode.CORRUPT_AT_SOURCE,
                    offer.source() + ": unreadable, although its files have the offered checksums: "
                            + withoutFolder(malformed, directory)
                            + "; verify the SSTable at the source, and repair the table",
                    malformed);
        }
    }

    private static Optional<Bytes> atLevelZero(Statistics statistics) {
        Stats stats = statistics.stats();
        return stats.placement().level() == 0
                ? Optional.empty()
                : Optional.of(statistics
                        .withStats(stats.withPlacement(stats.placement().atLevel(0)))
                        .encode());
    }

    /** Removes the path: the peer receives the message, too, and does not know paths of this node. */
    private static String withoutFolder(SSTableException malformed, Path directory) {
        return String.valueOf(malformed.getMessage())
                .replace(directory + directory.getFileSystem().getSeparator(), "");
    }

    private static void compare(SSTable sstable, SSTableOffer offer, TokenRanges ranges) throws IOException {
        // The receiver omits partitions without content from rows, so the token span may be smaller.
        boolean isAsOffered = offer.choice().mode() != TransferMode.ROWS;
        if (isAsOffered && !isFromTo(sstable, offer)) {
            throw new StreamException(
                    ErrorCode.PROTOCOL,
                    offer.source() + ": holds tokens " + sstable.firstToken() + " to " + sstable.lastToken()
                            + " (offered: " + offer.first() + " to " + offer.last() + ")");
        }
        if (isAsOffered) {
            requireIndexed(sstable);
        }
        if (sstable.coverage(ranges) != Coverage.WHOLE) {
            throw new StreamException(
                    ErrorCode.OUT_OF_RANGE, offer.source() + ": holds partitions outside the requested ranges");
        }
    }

    private static boolean isFromTo(SSTable sstable, SSTableOffer offer) {
        return sstable.firstToken().equals(offer.first()) && sstable.lastToken().equals(offer.last());
    }

    /**
     * Compares the index with the data at both ends, which detects files of different SSTables with two reads. Entries
     * in between are not checked: their bytes have the checksums of the offer.
     */
    private static void requireIndexed(SSTable sstable) throws IOException {
        try (PartitionCursor partitions = sstable.fewPartitions();
                DataReader data = openArrived(sstable)) {
            PartitionEntry first = next(partitions, sstable);
            requireKey(sstable, data, first, sstable.firstKey());
            partitions.seekLast(sstable.lastToken());
            PartitionEntry end = first;
            for (Optional<PartitionEntry> next = partitions.next(); next.isPresent(); next = partitions.next()) {
                end = next.get();
            }
            requireKey(sstable, data, end, sstable.lastKey());
            if (first.position() != 0 || end.end() != sstable.dataLengthBytes()) {
                throw new SSTableException(sstable + ": the index has partitions from " + first.position() + " to "
                        + end.end() + " (expected: 0 to " + sstable.dataLengthBytes() + ", all of the data)");
            }
        }
    }

    /**
     * Of plain data no chunk is read for a key: all bytes had the offered checksum when they arrived. Of tries the
     * cursor reads keys in the data itself, by chunks.
     */
    private static DataReader openArrived(SSTable sstable) throws IOException {
        return sstable.isCompressed() ? sstable.openData() : DataReader.plain(sstable.path(Component.DATA));
    }

    private static PartitionEntry next(PartitionCursor partitions, SSTable sstable) throws IOException {
        return partitions.next().orElseThrow(() -> new SSTableException(sstable + ": no partition in its index"));
    }

    /** A partition begins with the length of its key, two bytes, and the key. */
    private static void requireKey(SSTable sstable, DataReader data, PartitionEntry entry, PartitionKey expected)
            throws IOException {
        ByteBuffer begin = ByteBuffer.allocate(Short.BYTES + expected.bytes().length());
        if (entry.key().equals(expected) && entry.lengthBytes() >= begin.capacity()) {
            data.read(entry.position(), begin);
            begin.flip();
            boolean isThere = (begin.getShort() & 0xffff) == expected.bytes().length()
                    && begin.equals(expected.bytes().asBuffer());
            if (isThere) {
                return;
            }
        }
        throw new SSTableException(sstable + ": the partition at " + entry.position() + " does not have token "
                + expected.token() + ", which the index or the statistics name");
    }
}
