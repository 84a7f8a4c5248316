package io.sluice.streaming.store;

import io.sluice.sstable.SSTable;
import java.util.List;

/**
 * An immutable view of some SSTables of a table: their files stay as they are, whatever the database compacts or
 * deletes, until the view is closed. Closed exactly once, by Sluice, on every path.
 */
public interface PinnedTable extends AutoCloseable {
    TableRef table();

    /** The pinned SSTables, opened; may be empty. */
    List<SSTable> sstables();

    /** Gives the files back. Errors of clean-up are the implementation's to report; nothing is thrown. */
    @Override
    void close();
}
