package io.sluice.cassandra.ring;

import io.sluice.sstable.data.Column;
import io.sluice.sstable.encoding.Bytes;
import java.util.List;
import java.util.Set;

/**
 * The columns of a table of the cluster. Immutable.
 *
 * @param partitionKey one or more, in order
 * @param clustering in order; the types of descending ones are reversed
 * @param statics in any order
 * @param regulars in any order
 * @param dropped names of columns that the table once had: nodes skip what SSTables hold of them
 */
public record LiveColumns(
        List<Column> partitionKey,
        List<Column> clustering,
        List<Column> statics,
        List<Column> regulars,
        Set<Bytes> dropped) {
    public LiveColumns {
        partitionKey = List.copyOf(partitionKey);
        clustering = List.copyOf(clustering);
        statics = List.copyOf(statics);
        regulars = List.copyOf(regulars);
        dropped = Set.copyOf(dropped);
    }
}
