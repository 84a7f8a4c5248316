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

    /** SSTables that are cut out of others for the node. */
    public long slices() {
        return transfers.stream().filter(Transfer.Slice.class::isInstance).count();
    }

    /** SSTables of which the node gets the partitions that it owns, and decodes them. */
    public long partial() {
        return transfers.stream().filter(Transfer.Part.class::isInstance).count();
    }

    /** File bytes that leave. */
    public long lengthBytes() {
        return transfers.stream().mapToLong(Transfer::lengthBytes).sum();
    }
}
