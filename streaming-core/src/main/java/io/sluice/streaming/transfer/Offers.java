package io.sluice.streaming.transfer;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.PinnedTable;
import java.io.IOException;
import java.util.List;

/** What a source offers in one session. Not thread-safe: confined to the preparation of the session. */
public interface Offers {
    /**
     * Adds what {@code pinned} holds of {@code ranges}, or, if it throws, nothing.
     *
     * @throws io.sluice.streaming.StreamException of code {@link io.sluice.streaming.ErrorCode#CORRUPT_AT_SOURCE},
     *     naming file and offset, if what an offer is made of is damaged
     * @throws IOException if a file cannot be read
     */
    void add(PinnedTable pinned, TokenRanges ranges) throws IOException;

    /** All that is offered so far; an offer's number is its place here. */
    List<OfferedSSTable> offers();
}
