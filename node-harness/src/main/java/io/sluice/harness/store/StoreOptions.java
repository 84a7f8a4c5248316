package io.sluice.harness.store;

import java.time.InstantSource;

/**
 * How a store works. Immutable.
 *
 * @param memtableBytes written bytes after which all memtables are flushed, 1 or more; in memory they take several
 *     times as much
 * @param clock by which deletions outlive their grace period
 */
public record StoreOptions(SyncPolicy sync, long memtableBytes, CompactionStrategy compaction, InstantSource clock) {
    /** Each write synced, memtables of 16 MiB, no compaction. */
    public static final StoreOptions DEFAULTS = new StoreOptions(SyncPolicy.BATCH, 16 << 20, CompactionStrategy.NONE);

    /** By the clock of the machine. */
    public StoreOptions(SyncPolicy sync, long memtableBytes, CompactionStrategy compaction) {
        this(sync, memtableBytes, compaction, InstantSource.system());
    }
}
