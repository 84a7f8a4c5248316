package io.sluice.harness.admin;

import io.sluice.streaming.store.TableRef;

/** "There is a table with these columns." Immutable. */
public record CreateTableOrder(TableRef table, String cql) {}
