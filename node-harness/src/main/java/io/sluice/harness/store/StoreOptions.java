package io.sluice.harness.store;

/**
 * How a store works. Immutable.
 *
 * @param memtableBytes written bytes after which all memtables are flushed, 1 or more; in memory they take several
 *     times as much
 */
public record StoreOptions(SyncPolicy sync, long memtableBytes, CompactionStrategy compaction) {
    /** Each write synced, memtables of 16 MiB, no compaction. */
    public static final StoreOptions DEFAULTS = new StoreOptions(SyncPolicy.BATCH, 16 << 20, CompactionStrategy.NONE);
}
