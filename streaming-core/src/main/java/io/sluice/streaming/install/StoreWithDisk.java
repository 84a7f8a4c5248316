package io.sluice.streaming.install;

import io.sluice.streaming.store.TableStore;

/**
 * A database that supplies the disk for streaming: used by Sluice's own tools and tests, whose disks count operations,
 * are slow, or inject faults. Not for embedders: this package is not exported to them.
 */
public interface StoreWithDisk extends TableStore {
    /** The disk for all reads and writes of streaming; called once, when the node starts. */
    Disk disk();
}
