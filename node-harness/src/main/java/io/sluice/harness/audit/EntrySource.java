package io.sluice.harness.audit;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Partitions, ascending. Not thread-safe: confined to one reader, who closes it. */
interface EntrySource extends Closeable {
    /** The next one, or null after the last. */
    @Nullable
    Entry next() throws IOException;

    @Override
    void close() throws IOException;
}
