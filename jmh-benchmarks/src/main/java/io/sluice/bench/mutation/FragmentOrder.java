package io.sluice.bench.mutation;

import io.sluice.sstable.data.ClusteringOrder;
import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.Marker;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import org.jspecify.annotations.Nullable;

/**
 * Checks that fragments come in an order in which they can be written: start, static row, rows and markers ascending,
 * ranges closed, end; partitions ascending if they must. Not thread-safe: confined to one stream.
 */
final class FragmentOrder {
    private final ClusteringOrder order;
    private final boolean ascendingPartitions;
    private @Nullable PartitionKey partition;
    private @Nullable ClusteringPrefix last;
    private boolean isOpen;
    private boolean hasStatics;
    private boolean isInRange;

    FragmentOrder(SerializationHeader header, boolean ascendingPartitions) {
        this.order = new ClusteringOrder(header.clusteringTypes());
        this.ascendingPartitions = ascendingPartitions;
    }

    /** @throws StreamException of code {@link ErrorCode#PROTOCOL} if {@code next} cannot follow */
    void check(Fragment next) {
        if (next instanceof Fragment.Start start) {
            PartitionKey key = start.header().key();
            boolean isAscending = partition == null || !ascendingPartitions || partition.compareTo(key) < 0;
            require(!isOpen && isAscending, next);
            partition = key;
            last = null;
            isOpen = true;
            hasStatics = false;
            isInRange = false;
        } else if (next instanceof Fragment.Statics) {
            require(isOpen && last == null && !hasStatics, next);
            hasStatics = true;
        } else if (next instanceof Fragment.Item item) {
            ClusteringPrefix at = item.item().clustering();
            require(isOpen && (last == null || order.compare(last, at) < 0), next);
            last = at;
            if (item.item() instanceof Marker marker) {
                require(isInRange == marker.clustering().kind().isEnd(), next);
                isInRange = marker.clustering().kind().isStart();
            }
        } else {
            require(isOpen && !isInRange, next);
            isOpen = false;
        }
    }

    /** @throws StreamException of code {@link ErrorCode#PROTOCOL} if a partition is not finished */
    void checkEnd() {
        if (isOpen) {
            throw new StreamException(ErrorCode.PROTOCOL, "rows end within partition " + partition);
        }
    }

    /** A partition that nobody asked for. */
    static StreamException outOfRange(PartitionKey key, TokenRanges wanted) {
        return new StreamException(
                ErrorCode.OUT_OF_RANGE, "partition " + key + " was not asked for (expected: tokens in " + wanted + ")");
    }

    private void require(boolean condition, Fragment next) {
        if (!condition) {
            throw new StreamException(
                    ErrorCode.PROTOCOL,
                    "rows out of order: " + next.getClass().getSimpleName() + " in partition " + partition + " after "
                            + last + (isInRange ? " in an open range" : ""));
        }
    }
}
