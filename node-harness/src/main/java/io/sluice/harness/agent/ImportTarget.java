package io.sluice.harness.agent;

import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

/** Imports SSTables into its tables: a Cassandra node. Thread-safe. */
interface ImportTarget {
    /** All tables except system tables. */
    List<TableRef> tables() throws IOException;

    /** The folders of a table, one on each volume. */
    List<Path> folders(TableRef table) throws IOException;

    /**
     * Imports SSTables into a table by renames. Keeps their level and repair time; opens each one, and does not verify
     * it: that its bytes are those of its source, and its tokens in the ranges that the node has asked for, was
     * verified when it was received.
     *
     * @return folders that were not imported
     */
    List<String> importSSTables(TableRef table, Collection<Path> folders) throws IOException;
}
