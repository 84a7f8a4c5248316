package io.sluice.harness.admin;

import io.sluice.streaming.plan.TopologyChange;
import java.util.List;
import java.util.UUID;

/**
 * "Fetch what a change of the ring makes you need." Immutable.
 *
 * @param tables all tables that it concerns: a new node knows none
 */
public record FetchOrder(UUID planId, TopologyChange change, List<TableRing> tables) {
    public FetchOrder {
        tables = List.copyOf(tables);
    }
}
