package io.sluice.streaming.transfer;

/** Nobody hears how a preparation gets on. */
public final class NoProgress implements Offers.Progress {
    @Override
    public void step() {}

    @Override
    public void offered(OfferedSSTable sstable) {}
}
