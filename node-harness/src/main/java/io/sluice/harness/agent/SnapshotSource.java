package io.sluice.harness.agent;

import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Takes snapshots of its tables: a Cassandra node. Thread-safe. */
interface SnapshotSource {
    /** The folders of a table, one on each volume. */
    List<Path> folders(TableRef table) throws IOException;

    /**
     * Flushes a table and links its SSTables.
     *
     * @throws IOException also if the node did not answer; then it may still be linking
     */
    void takeSnapshot(String tag, TableRef table) throws IOException;

    /** Removes the snapshots of this name in a keyspace; none need exist. */
    void clearSnapshot(String tag, String keyspace) throws IOException;
}
