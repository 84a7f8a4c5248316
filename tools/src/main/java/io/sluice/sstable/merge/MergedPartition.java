package io.sluice.sstable.merge;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.data.ClusteringOrder;
import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.DeletionTime;
import io.sluice.sstable.data.Marker;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.Unfiltered;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One partition, merged from several SSTables. Rows that are deleted are removed, and markers are only where the
 * deletion in force changes, so the result depends on the content alone and not on how it was spread. Not thread-safe:
 * confined to one reader.
 */
final class MergedPartition implements Partition {
    private final List<Partition> inputs;
    private final @Nullable Unfiltered[] heads;
    private final DeletionTime[] open;
    private final ClusteringOrder order;
    private final RowMerger rows;
    private final PartitionHeader header;
    private DeletionTime inForce = DeletionTime.LIVE;

    MergedPartition(List<Partition> inputs, ClusteringOrder order, RowMerger rows) throws IOException {
        this.inputs = inputs;
        this.heads = new Unfiltered[inputs.size()];
        this.open = new DeletionTime[inputs.size()];
        this.order = order;
        this.rows = rows;
        Arrays.fill(open, DeletionTime.LIVE);
        this.header = mergeHeaders();
        for (int i = 0; i < heads.length; i++) {
            advance(i);
        }
    }

    @Override
    public PartitionHeader header() {
        return header;
    }

    @Override
    public Optional<Unfiltered> next() throws IOException {
        for (ClusteringPrefix at = least(); at != null; at = least()) {
            List<Row> sameRow = takeRowsAt(at);
            Optional<Unfiltered> merged = sameRow.isEmpty() ? takeMarkersAt(at) : mergeRows(sameRow);
            if (merged.isPresent()) {
                return merged;
            }
        }
        return Optional.empty();
    }

    private PartitionHeader mergeHeaders() throws IOException {
        PartitionHeader first = inputs.get(0).header();
        DeletionTime deletion = DeletionTime.LIVE;
        List<Row> statics = new ArrayList<>();
        for (Partition input : inputs) {
            deletion = deletion.max(input.header().deletion());
            statics.add(input.header().staticRow());
        }
        try {
            return new PartitionHeader(first.key(), deletion, rows.merge(statics, deletion));
        } catch (MalformedException malformed) {
            throw unreadable(first, malformed);
        }
    }

    private @Nullable ClusteringPrefix least() {
        ClusteringPrefix least = null;
        for (Unfiltered head : heads) {
            if (head != null && (least == null || order.compare(head.clustering(), least) < 0)) {
                least = head.clustering();
            }
        }
        return least;
    }

    private List<Row> takeRowsAt(ClusteringPrefix at) throws IOException {
        List<Row> taken = new ArrayList<>(heads.length);
        for (int i = 0; i < heads.length; i++) {
            if (heads[i] instanceof Row row && order.compare(row.clustering(), at) == 0) {
                taken.add(row);
                advance(i);
            }
        }
        return taken;
    }

    private Optional<Unfiltered> mergeRows(List<Row> sameRow) throws IOException {
        try {
            Row merged = rows.merge(sameRow, inForce.max(header.deletion()));
            return merged.isEmpty() ? Optional.empty() : Optional.of(merged);
        } catch (MalformedException malformed) {
            throw unreadable(header, malformed);
        }
    }

    private Optional<Unfiltered> takeMarkersAt(ClusteringPrefix at) throws IOException {
        for (int i = 0; i < heads.length; i++) {
            if (heads[i] instanceof Marker marker && order.compare(marker.clustering(), at) == 0) {
                open[i] = marker.starting();
                advance(i);
            }
        }
        DeletionTime before = inForce;
        inForce = DeletionTime.LIVE;
        for (DeletionTime deletion : open) {
            inForce = deletion.supersedes(header.deletion()) ? inForce.max(deletion) : inForce;
        }
        return inForce.equals(before) ? Optional.empty() : Optional.of(Marker.at(at, before, inForce));
    }

    private void advance(int input) throws IOException {
        heads[input] = inputs.get(input).next().orElse(null);
    }

    private static SSTableException unreadable(PartitionHeader partition, MalformedException malformed) {
        return new SSTableException("partition " + partition.key() + ": " + malformed.getMessage(), malformed);
    }
}
