package io.sluice.sstable.data;

/** An item of a partition: a {@link Row}, or a {@link Marker} where a range tombstone begins or ends. */
public sealed interface Unfiltered permits Row, Marker {
    /** Where it stands among the others. */
    ClusteringPrefix clustering();
}
