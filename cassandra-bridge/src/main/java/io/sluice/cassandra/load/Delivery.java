package io.sluice.cassandra.load;

import io.sluice.cassandra.ring.LiveTable;
import io.sluice.cassandra.send.SSTableTransfer;
import java.util.List;

/**
 * What one node receives of one table in one session. Immutable.
 *
 * @param transfers at least one
 */
public record Delivery(Receiver receiver, LiveTable table, List<SSTableTransfer> transfers) {
    public Delivery {
        transfers = List.copyOf(transfers);
    }

    /** Number of SSTables that are sent whole. */
    public long whole() {
        return transfers.stream()
                .filter(SSTableTransfer.Whole.class::isInstance)
                .count();
    }

    /** Number of slices that are cut for the node. */
    public long slices() {
        return transfers.stream()
                .filter(SSTableTransfer.Slice.class::isInstance)
                .count();
    }

    /** Number of SSTables of which the node receives only its own partitions, as rows that it decodes. */
    public long partial() {
        return transfers.stream().filter(SSTableTransfer.Part.class::isInstance).count();
    }

    /** File bytes to send. */
    public long lengthBytes() {
        return transfers.stream().mapToLong(SSTableTransfer::lengthBytes).sum();
    }
}
