package io.sluice.sstable.data;

/** An item of a partition: a {@link Row}, or a {@link Marker} where a range tombstone begins or ends. */
public sealed interface Unfiltered permits Row, Marker {
    /** Its position among the items. */
    ClusteringPrefix clustering();
}
