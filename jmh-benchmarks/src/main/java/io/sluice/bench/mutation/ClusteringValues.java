package io.sluice.bench.mutation;

import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.encoding.Bytes;
import org.jspecify.annotations.Nullable;

/** Reads the values of a clustering. Stateless. */
final class ClusteringValues {
    private ClusteringValues() {}

    /** Gives the next value, or null for the null of tables with compact storage. */
    interface Source {
        @Nullable
        Bytes next();
    }

    static ClusteringPrefix read(ClusteringPrefix.Kind kind, int length, Source source) {
        @Nullable Bytes[] values = new Bytes[length];
        for (int i = 0; i < length; i++) {
            values[i] = source.next();
        }
        return ClusteringPrefix.ofNullable(kind, values);
    }
}
