package io.sluice.streaming.transfer;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.transfer.block.OpenedTable;
import java.io.IOException;

/** No listener to a preparation, for which there is always room. */
public final class NoProgress implements Offers.Progress {
    /** Prepares the offers of a table without waiting. */
    public static void prepare(Offers offers, OpenedTable pinned, TokenRanges ranges) throws IOException {
        offers.choose(pinned, ranges);
        if (!offers.prepare()) {
            throw new IllegalStateException("there is no room");
        }
    }

    @Override
    public void step() {}

    @Override
    public void keeps(int sections) {}

    @Override
    public boolean hasRoom(long lengthBytes) {
        return true;
    }

    @Override
    public boolean frees() {
        return false;
    }

    @Override
    public void offered(OfferedSSTable sstable, long temporaryBytes) {}

    @Override
    public void replaced(Offers.Replaced damaged) {}
}
