package io.sluice.bench.mutation;

import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.Unfiltered;

/** A piece of a partition, in the order in which they follow each other. */
sealed interface Fragment {
    Fragment END = new End();

    /** A partition begins; its static row, if any, follows as a fragment of its own. */
    record Start(PartitionHeader header) implements Fragment {}

    /** The static row. */
    record Statics(Row row) implements Fragment {}

    /** A row or a marker. */
    record Item(Unfiltered item) implements Fragment {}

    /** The partition ends. */
    record End() implements Fragment {}
}
