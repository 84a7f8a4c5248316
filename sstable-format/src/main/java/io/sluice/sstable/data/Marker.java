package io.sluice.sstable.data;

import io.sluice.sstable.data.ClusteringPrefix.Kind;

/**
 * The start or end of a range tombstone, or the boundary of two. Immutable.
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

    /** The marker at {@code place}, a bound or boundary. */
    public static Marker at(ClusteringPrefix place, DeletionTime ending, DeletionTime starting) {
        boolean isBefore = place.kind().side() < 0;
        Kind kind;
        if (ending.isLive()) {
            kind = isBefore ? Kind.INCLUSIVE_START : Kind.EXCLUSIVE_START;
        } else if (starting.isLive()) {
            kind = isBefore ? Kind.EXCLUSIVE_END : Kind.INCLUSIVE_END;
        } else {
            kind = isBefore ? Kind.EXCLUSIVE_END_INCLUSIVE_START : Kind.INCLUSIVE_END_EXCLUSIVE_START;
        }
        return new Marker(place.as(kind), ending, starting);
    }
}
