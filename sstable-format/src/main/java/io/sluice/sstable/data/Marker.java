package io.sluice.sstable.data;

/**
 * Where a range tombstone ends, starts, or one ends and another starts. Immutable.
 *
 * @param clustering a bound or boundary
 * @param ending the deletion of the range that ends here; {@link DeletionTime#LIVE} at a mere start
 * @param starting the deletion of the range that starts here; {@link DeletionTime#LIVE} at a mere end
 */
public record Marker(ClusteringPrefix clustering, DeletionTime ending, DeletionTime starting) implements Unfiltered {
    public Marker {
        if (clustering.kind().isEnd() == ending.isLive() || clustering.kind().isStart() == starting.isLive()) {
            throw new IllegalArgumentException(
                    "marker " + clustering.kind() + " with deletions " + ending + ", " + starting);
        }
    }
}
