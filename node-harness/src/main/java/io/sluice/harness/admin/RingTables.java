package io.sluice.harness.admin;

import io.sluice.streaming.store.TableRef;
import java.util.List;

/** A ring before a change, and the tables that live on it. Immutable. */
public record RingTables(RingView ring, List<TableRef> tables) {
    public RingTables {
        tables = List.copyOf(tables);
    }
}
