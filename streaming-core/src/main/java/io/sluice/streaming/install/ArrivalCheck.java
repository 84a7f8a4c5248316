package io.sluice.streaming.install;

import io.sluice.sstable.Coverage;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.mode.TransferMode;
import io.sluice.streaming.transfer.partial.PartFile;
import java.io.IOException;
import java.nio.file.Path;

/** The last look at a received SSTable before it may become live. Thread-safe. */
public interface ArrivalCheck {
    /**
     * Checks that the files of {@code descriptor} in {@code directory} are one readable SSTable, the one that was
     * offered, with partitions in {@code ranges} only.
     *
     * @throws StreamException of code {@link ErrorCode#OUT_OF_RANGE} or {@link ErrorCode#PROTOCOL} if it is another
     * @throws IOException if it cannot be read
     */
    void check(Path directory, Descriptor descriptor, SSTableOffer offer, TokenRanges ranges) throws IOException;

    /**
     * Makes the SSTable {@code descriptor} of rows that have arrived, and makes it durable.
     *
     * @param part the file that holds them
     * @return whether there is one: not if no partition had content
     * @throws StreamException if the rows are damaged, or not those that were asked for; no SSTable is left then
     * @throws IOException if the disk fails
     */
    default boolean makeSSTable(Path part, Path directory, Descriptor descriptor, TokenRanges ranges)
            throws IOException {
        return PartFile.toSSTable(part, directory, descriptor, ranges);
    }

    /** Opens the SSTable and compares; all partition keys are looked at if its ends do not decide. */
    static ArrivalCheck opening() {
        return ArrivalCheck::open;
    }

    private static void open(Path directory, Descriptor descriptor, SSTableOffer offer, TokenRanges ranges)
            throws IOException {
        SSTable sstable = SSTable.open(directory, descriptor);
        // Of rows the receiver leaves partitions without content out, so the ends may lie further in.
        boolean isAsOffered = offer.choice().mode() != TransferMode.ROWS;
        if (isAsOffered && !isFromTo(sstable, offer)) {
            throw new StreamException(
                    ErrorCode.PROTOCOL,
                    offer.source() + ": holds tokens " + sstable.firstToken() + " to " + sstable.lastToken()
                            + " (offered: " + offer.first() + " to " + offer.last() + ")");
        }
        if (sstable.coverage(ranges) != Coverage.WHOLE) {
            throw new StreamException(
                    ErrorCode.OUT_OF_RANGE, offer.source() + ": holds partitions outside of what was asked for");
        }
    }

    private static boolean isFromTo(SSTable sstable, SSTableOffer offer) {
        return sstable.firstToken().equals(offer.first()) && sstable.lastToken().equals(offer.last());
    }
}
