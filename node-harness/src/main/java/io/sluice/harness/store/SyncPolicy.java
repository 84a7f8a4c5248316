package io.sluice.harness.store;

/** When a write is acknowledged. */
public enum SyncPolicy {
    /** When it is on disk: it survives a power loss. Concurrent writes share one sync. */
    BATCH,
    /** When it is in the page cache: it survives the death of the process, and reaches the disk within a second. */
    PERIODIC
}
