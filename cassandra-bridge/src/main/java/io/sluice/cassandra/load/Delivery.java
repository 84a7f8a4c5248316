package io.sluice.cassandra.load;

import io.sluice.cassandra.ring.LiveTable;
import io.sluice.cassandra.send.Transfer;
import java.util.List;

/**
 * What one node gets of one table, in one session. Immutable.
 *
 * @param transfers at least one
 */
public record Delivery(Receiver receiver, LiveTable table, List<Transfer> transfers) {
    public Delivery {
        transfers = List.copyOf(transfers);
    }

    /** SSTables that go as they lie there. */
    public long whole() {
        return transfers.stream().filter(Transfer.Whole.class::isInstance).count();
    }

    /** SSTables of which the node gets the partitions that it owns. */
    public long partial() {
        return transfers.size() - whole();
    }

    /** File bytes that leave. */
    public long lengthBytes() {
        return transfers.stream().mapToLong(Transfer::lengthBytes).sum();
    }
}
