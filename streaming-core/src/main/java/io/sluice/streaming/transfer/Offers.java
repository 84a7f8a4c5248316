package io.sluice.streaming.transfer;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.transfer.block.OpenedTable;
import java.io.IOException;
import java.util.List;

/** The offers of a source in one session. Not thread-safe: confined to the preparation of the session. */
public interface Offers {
    /** Listens to the progress of a preparation, which may take hours. */
    interface Progress {
        /**
         * A step is done: bytes were read, or an SSTable was written. On any thread; an exception ends the preparation.
         */
        void step();

        /** An SSTable is offered, after those with lower numbers. On the preparing thread. */
        void offered(OfferedSSTable sstable);
    }

    /**
     * Adds offers for {@code ranges} of {@code pinned}. If it throws, earlier offers of the table stay: the receiver,
     * which knows them, is notified that the table is refused.
     *
     * @throws io.sluice.streaming.StreamException of code {@link io.sluice.streaming.ErrorCode#CORRUPT_AT_SOURCE},
     *     naming file and offset, if a file is corrupt
     * @throws IOException if a file cannot be read
     */
    void add(OpenedTable pinned, TokenRanges ranges) throws IOException;

    /** All offers so far; the number of an offer is its index. */
    List<OfferedSSTable> offers();
}
