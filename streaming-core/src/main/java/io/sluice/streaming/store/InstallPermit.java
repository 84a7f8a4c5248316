package io.sluice.streaming.store;

/** The database's word that a set of SSTables may become live; given back when it is, or when it failed. */
@FunctionalInterface
public interface InstallPermit {
    /** Called exactly once. */
    void giveBack();
}
