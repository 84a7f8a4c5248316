package io.sluice.harness.admin;

import io.sluice.streaming.store.TableRef;

/** What a node holds of a table: live SSTables, and the bytes of all their components. Immutable. */
public record TableStatus(TableRef table, int sstables, long bytes) {}
