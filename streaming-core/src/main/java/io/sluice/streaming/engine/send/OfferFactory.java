package io.sluice.streaming.engine.send;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.install.StagingArea;
import io.sluice.streaming.transfer.ModeSettings;
import io.sluice.streaming.transfer.Offers;
import io.sluice.streaming.transfer.SSTableOffers;
import io.sluice.streaming.transfer.block.OpenedTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executor;

/** How pinned SSTables become offers. Thread-safe. */
public interface OfferFactory {
    /**
     * Nothing is offered yet.
     *
     * @param sliceFolder where slices are prepared; made when the first one is, and removed by the caller
     */
    Offers begin(Path sliceFolder, Offers.Progress progress);

    /**
     * About how many bytes {@code pinned} holds of {@code ranges}, as they lie on the disk.
     *
     * @param progress runs for each SSTable that was looked at
     */
    long estimateBytes(OpenedTable pinned, TokenRanges ranges, Runnable progress) throws IOException;

    /**
     * Offers real SSTables: whole, sliced or as rows.
     *
     * @param staging slices lie in one of its directories, beside what arrives, and share its room
     * @param helpers prepare offers at the same time as the session
     */
    static OfferFactory ofSSTables(StagingArea staging, ModeSettings modes, Executor helpers) {
        return new OfferFactory() {
            @Override
            public Offers begin(Path sliceFolder, Offers.Progress progress) {
                StagingArea.Scratch scratch = staging.scratch(sliceFolder.resolveSibling("."));
                return new SSTableOffers(scratch.disk(), sliceFolder, room(scratch), modes, helpers, progress);
            }

            @Override
            public long estimateBytes(OpenedTable pinned, TokenRanges ranges, Runnable progress) throws IOException {
                return SSTableOffers.estimateBytes(pinned, ranges, progress);
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
