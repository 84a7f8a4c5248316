package io.sluice.streaming.transfer;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.transfer.block.OpenedTable;
import java.io.IOException;
import java.util.List;

/**
 * The offers of a source in one session. Those of a table are prepared while there is room for their temporary files.
 * Not thread-safe: confined to the preparation of the session.
 */
public interface Offers {
    /** Listens to the progress of a preparation, which may take hours. */
    interface Progress {
        /**
         * A step is done: bytes were read, or an SSTable was written. On any thread; an exception ends the preparation.
         */
        void step();

        /**
         * Chosen offers will keep {@code sections} more of their files in memory until the session ends. On the
         * preparing thread.
         *
         * @throws io.sluice.streaming.StreamException of code {@link io.sluice.streaming.ErrorCode#LIMIT} if there is
         *     no memory
         */
        void keeps(int sections);

        /**
         * Whether {@code lengthBytes} of temporary files may be prepared now, besides those of earlier offers that the
         * receiver has not received yet.
         */
        boolean hasRoom(long lengthBytes);

        /** Whether the receiver has still to receive earlier offers that have temporary files. */
        boolean frees();

        /**
         * An SSTable is offered, after those with lower numbers. On the preparing thread.
         *
         * @param temporaryBytes of files that were written for it, at most
         * @throws IOException if its files cannot be read
         */
        void offered(OfferedSSTable sstable, long temporaryBytes) throws IOException;

        /**
         * A component of a pinned SSTable is damaged, which its checksums cannot show; the offer has a new one. On any
         * thread.
         */
        void replaced(Replaced damaged);
    }

    /**
     * A damaged component that was made again for an offer. Immutable.
     *
     * @param problem with the path of the file
     */
    record Replaced(TableRef table, Component component, String problem) {
        @Override
        public String toString() {
            return table + ": " + problem + "; the offer has a new " + component.fileName()
                    + ": verify the SSTable, and write it again";
        }
    }

    /**
     * Chooses what to offer of {@code ranges} of {@code pinned}, instead of what is left of the table before; prepares
     * nothing.
     *
     * @return the number of offers
     * @throws io.sluice.streaming.StreamException if the table must not be offered
     * @throws IOException if a file cannot be read
     */
    int choose(OpenedTable pinned, TokenRanges ranges) throws IOException;

    /**
     * Prepares and offers what was chosen. If it throws, earlier offers of the table stay: the receiver, which knows
     * them, is notified that the table is refused.
     *
     * @return whether everything is offered; otherwise there is no room now, and it is to be called again
     * @throws io.sluice.streaming.StreamException of code {@link io.sluice.streaming.ErrorCode#CORRUPT_AT_SOURCE},
     *     naming file and offset, if a file is corrupt
     * @throws IOException if a file cannot be read
     */
    boolean prepare() throws IOException;

    /** All offers so far; the number of an offer is its index. */
    List<OfferedSSTable> offers();
}
