package io.sluice.harness.admin;

import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.UUID;

/**
 * "Become the replacement of a dead node." Immutable.
 *
 * @param ring with the dead node in it
 * @param deadNode its id
 * @param tables all tables of the cluster: a new node knows none
 */
public record ReplaceOrder(UUID planId, RingView ring, UUID deadNode, List<TableRef> tables) {
    public ReplaceOrder {
        tables = List.copyOf(tables);
    }
}
