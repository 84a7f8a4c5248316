package io.sluice.streaming.install;

import io.sluice.sstable.Coverage;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.index.PartitionEntry;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.transfer.partial.PartialFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/** The last look at a received SSTable before it may become live. Thread-safe. */
public interface ReceivedSSTableCheck {
    /**
     * Checks that the files of {@code descriptor} in {@code directory} are one readable SSTable, the one that was
     * offered, with partitions in {@code ranges} only.
     *
     * @throws StreamException of code {@link ErrorCode#OUT_OF_RANGE} or {@link ErrorCode#PROTOCOL} if it is another;
     *     {@link ErrorCode#CORRUPT_AT_SOURCE} if it is malformed, although its files have the checksums that were
     *     offered
     * @throws IOException if the disk fails
     */
    void check(Path directory, Descriptor descriptor, SSTableOffer offer, TokenRanges ranges) throws IOException;

    /**
     * Makes the SSTable {@code descriptor} of rows that have arrived, and makes it durable.
     *
     * @param disk on which it is made
     * @param part the file that holds them
     * @return whether there is one: not if no partition had content
     * @throws StreamException if the rows are damaged, or not those that were asked for; no SSTable is left then
     * @throws IOException if the disk fails
     */
    default boolean makeSSTable(Disk disk, Path part, Path directory, Descriptor descriptor, TokenRanges ranges)
            throws IOException {
        return PartialFile.toSSTable(disk, part, directory, descriptor, ranges);
    }

    /** Opens the SSTable and compares; all partition keys are looked at if its ends do not decide. */
    static ReceivedSSTableCheck opening() {
        return ReceivedSSTableCheck::open;
    }

    private static void open(Path directory, Descriptor descriptor, SSTableOffer offer, TokenRanges ranges)
            throws IOException {
        try {
            compare(SSTable.open(directory, descriptor), offer, ranges);
        } catch (SSTableException malformed) {
            // Its files are what the source promised: it is not this disk that has spoilt them.
            throw new StreamException(
                    ErrorCode.CORRUPT_AT_SOURCE,
                    offer.source() + ": cannot be read, although its files arrived as they were offered: "
                            + withoutFolder(malformed, directory) + "; verify it at the source, and repair the table",
                    malformed);
        }
    }

    /** The peer is notified, too, and has no use for paths of this node. */
    private static String withoutFolder(SSTableException malformed, Path directory) {
        return String.valueOf(malformed.getMessage())
                .replace(directory + directory.getFileSystem().getSeparator(), "");
    }

    private static void compare(SSTable sstable, SSTableOffer offer, TokenRanges ranges) throws IOException {
        // Of rows the receiver leaves partitions without content out, so the ends may lie further in.
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
                    ErrorCode.OUT_OF_RANGE, offer.source() + ": holds partitions outside of what was asked for");
        }
    }

    private static boolean isFromTo(SSTable sstable, SSTableOffer offer) {
        return sstable.firstToken().equals(offer.first()) && sstable.lastToken().equals(offer.last());
    }

    /** Compares the index with the data at both ends: so a file that belongs to another one is found for two reads. */
    private static void requireIndexed(SSTable sstable) throws IOException {
        try (PartitionCursor partitions = sstable.partitions();
                DataReader data = sstable.openData()) {
            PartitionEntry first = next(partitions, sstable);
            requireKey(sstable, data, first, sstable.firstKey());
            long last = sstable.lastToken().value();
            if (last > sstable.firstToken().value()) {
                partitions.seekAfter(new Token(last - 1));
            }
            PartitionEntry end = first;
            for (Optional<PartitionEntry> next = partitions.next(); next.isPresent(); next = partitions.next()) {
                end = next.get();
            }
            requireKey(sstable, data, end, sstable.lastKey());
            if (first.position() != 0 || end.end() != sstable.dataLengthBytes()) {
                throw new SSTableException(sstable + ": partitions by its index from " + first.position() + " to "
                        + end.end() + " (expected: 0 to " + sstable.dataLengthBytes() + ", all of the data)");
            }
        }
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
        throw new SSTableException(sstable + ": the partition at " + entry.position() + " is not that of token "
                + expected.token() + ", which index or statistics name");
    }
}
