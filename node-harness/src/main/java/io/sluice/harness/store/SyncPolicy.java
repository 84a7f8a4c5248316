package io.sluice.harness.store;

/** When a write is acknowledged. */
public enum SyncPolicy {
    /** When it is on disk: it survives the loss of power. Writes that come at the same time share one sync. */
    BATCH,
    /** When the kernel has it: it survives the death of the process; the disk follows within a second. */
    PERIODIC
}
