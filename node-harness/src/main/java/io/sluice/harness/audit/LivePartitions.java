package io.sluice.harness.audit;

import io.sluice.sstable.data.Cell;
import io.sluice.sstable.data.ColumnData;
import io.sluice.sstable.data.DeletionTime;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.Unfiltered;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a reader sees of a merged partition: rows that are alive, without the deletions around them, which some nodes
 * have forgotten and others not. Of simple columns that do not expire. Stateless.
 */
final class LivePartitions {
    private LivePartitions() {}

    /** Reads it to its end; empty of content if nothing in it is alive. */
    static Partition of(Partition merged) throws IOException {
        List<Unfiltered> rows = new ArrayList<>();
        for (Optional<Unfiltered> item = merged.next(); item.isPresent(); item = merged.next()) {
            if (item.get() instanceof Row row) {
                Row alive = alive(row);
                if (!alive.isEmpty()) {
                    rows.add(alive);
                }
            }
        }
        PartitionHeader header = merged.header();
        return Partition.of(new PartitionHeader(header.key(), DeletionTime.LIVE, alive(header.staticRow())), rows);
    }

    private static Row alive(Row row) throws IOException {
        List<ColumnData> columns = new ArrayList<>();
        for (ColumnData data : row.columns()) {
            if (!(data instanceof Cell cell)) {
                throw new IOException(data.column() + " has several cells (expected: a simple column)");
            }
            if (!cell.isTombstone()) {
                columns.add(cell);
            }
        }
        return new Row(row.clustering(), row.liveness(), DeletionTime.LIVE, false, columns);
    }
}
