package io.sluice.harness.admin;

import io.sluice.streaming.store.TableRef;

/** A table, and the ring that it lives on before a change. Immutable. */
public record TableRing(TableRef table, RingView ring) {}
