package io.sluice.streaming.transfer;

/** No listener to a preparation. */
public final class NoProgress implements Offers.Progress {
    @Override
    public void step() {}

    @Override
    public void offered(OfferedSSTable sstable) {}
}
