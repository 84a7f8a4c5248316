package io.sluice.streaming.install;

import io.sluice.streaming.store.TableStore;

/**
 * A database that brings the disk which streaming writes to: one of Sluice's own, whose disk counts, is slow or fails
 * on purpose. Embedders have no use for it: this package is not theirs.
 */
public interface StoreWithDisk extends TableStore {
    /** What all reads and writes of streaming pass through; asked once, when the node starts. */
    Disk disk();
}
