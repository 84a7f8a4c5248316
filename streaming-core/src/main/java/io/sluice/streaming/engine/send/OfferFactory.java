package io.sluice.streaming.engine.send;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.install.StagingArea;
import io.sluice.streaming.message.ReceiverFeatures;
import io.sluice.streaming.transfer.ModeSettings;
import io.sluice.streaming.transfer.Offers;
import io.sluice.streaming.transfer.SSTableOffers;
import io.sluice.streaming.transfer.block.OpenedTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executor;

/** Creates offers of pinned SSTables. Thread-safe. */
public interface OfferFactory {
    /**
     * Begins the offers of one session.
     *
     * @param sliceFolder where slices are prepared; created with the first one, and removed by the caller
     * @param receiver features of the receiver
     */
    Offers begin(Path sliceFolder, ReceiverFeatures receiver, Offers.Progress progress);

    /**
     * Bytes of temporary files that a session may prepare before the receiver has received them: preparation keeps
     * ahead of the fetches, and never occupies much more.
     */
    default long aheadBytes() {
        return 1L << 30;
    }

    /**
     * Estimates the bytes on disk that {@code pinned} holds in {@code ranges}.
     *
     * @param progress runs after each SSTable
     */
    long estimateBytes(OpenedTable pinned, TokenRanges ranges, Runnable progress) throws IOException;

    /**
     * Offers real SSTables: whole, sliced or as rows.
     *
     * @param staging slices are in one of its directories, beside received files, and share its space
     * @param helpers prepare offers in parallel to the session's own thread
     */
    static OfferFactory ofSSTables(StagingArea staging, ModeSettings modes, Executor helpers) {
        return new OfferFactory() {
            @Override
            public Offers begin(Path sliceFolder, ReceiverFeatures receiver, Offers.Progress progress) {
                StagingArea.Scratch scratch = staging.scratch(sliceFolder.resolveSibling("."));
                return new SSTableOffers(
                        scratch.disk(), sliceFolder, room(scratch), modes.of(receiver), helpers, progress);
            }

            @Override
            public long estimateBytes(OpenedTable pinned, TokenRanges ranges, Runnable progress) throws IOException {
                return SSTableOffers.estimateBytes(pinned, ranges, helpers, progress);
            }
        };
    }

    private static SSTableOffers.SpaceLease room(StagingArea.Scratch scratch) {
        return new SSTableOffers.SpaceLease() {
            @Override
            public void reserve(long lengthBytes) throws IOException {
                scratch.reserve(lengthBytes);
            }

            @Override
            public void release(long lengthBytes) {
                scratch.release(lengthBytes);
            }
        };
    }
}
