package io.sluice.streaming.transfer;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.transfer.block.OpenedTable;
import java.io.IOException;
import java.util.List;

/** What a source offers in one session. Not thread-safe: confined to the preparation of the session. */
public interface Offers {
    /** Learns how a preparation gets on, which may take hours. */
    interface Progress {
        /**
         * Something is done: bytes were read, or an SSTable was made. On any thread; what it throws ends the
         * preparation.
         */
        void step();

        /** This SSTable is offered, after those of lower numbers. On the thread that prepares. */
        void offered(OfferedSSTable sstable);
    }

    /**
     * Adds what {@code pinned} holds of {@code ranges}. If it throws, what was offered of it before stays offered: who
     * was notified of it is notified that the table is refused.
     *
     * @throws io.sluice.streaming.StreamException of code {@link io.sluice.streaming.ErrorCode#CORRUPT_AT_SOURCE},
     *     naming file and offset, if what an offer is made of is damaged
     * @throws IOException if a file cannot be read
     */
    void add(OpenedTable pinned, TokenRanges ranges) throws IOException;

    /** All that is offered so far; an offer's number is its place here. */
    List<OfferedSSTable> offers();
}
