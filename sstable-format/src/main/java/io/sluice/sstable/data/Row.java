package io.sluice.sstable.data;

import java.util.List;

/**
 * The content of a row in one SSTable. Immutable.
 *
 * @param deletion {@link DeletionTime#LIVE} if there is none
 * @param isShadowable whether newer liveness overrides the deletion; only in old materialized views
 * @param columns those that are present, in the order of {@link Column}
 */
public record Row(
        ClusteringPrefix clustering,
        Liveness liveness,
        DeletionTime deletion,
        boolean isShadowable,
        List<ColumnData> columns)
        implements Unfiltered {
    /** The empty static row. */
    public static final Row NO_STATICS = statics(List.of());

    public Row {
        columns = List.copyOf(columns);
    }

    /** A row as written by INSERT. */
    public static Row inserted(ClusteringPrefix clustering, long timestamp, List<ColumnData> columns) {
        return new Row(clustering, Liveness.at(timestamp), DeletionTime.LIVE, false, columns);
    }

    /** A static row: it has neither liveness nor deletion. */
    public static Row statics(List<ColumnData> columns) {
        return new Row(ClusteringPrefix.STATIC, Liveness.NONE, DeletionTime.LIVE, false, columns);
    }

    public boolean isStatic() {
        return clustering.kind() == ClusteringPrefix.Kind.STATIC;
    }

    /** Whether it has no content. */
    public boolean isEmpty() {
        return liveness.isNone() && deletion.isLive() && columns.isEmpty();
    }
}
