package io.sluice.streaming.store;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * An immutable view of some SSTables of a table: their files stay as they are, whatever the database compacts or
 * deletes, until the view is closed. Closed exactly once, by Sluice, on every path. A database that needs the files
 * sooner asks for them with {@code StreamingNode.revokePins}.
 */
public interface PinnedTable extends AutoCloseable {
    /** The table. */
    TableRef table();

    /**
     * The {@code Data.db} file of each pinned SSTable, such as {@code /snapshots/7/nb-42-big-Data.db}; may be empty.
     * Its other components lie beside it, under the same descriptor. Sluice opens the files and closes them.
     */
    List<Path> sstables();

    /**
     * Why the rows of this table must be decoded by those who receive them, human-readable: it has a view, say, or its
     * changes are captured. Empty, the default, if SSTables may travel as files.
     */
    default Optional<String> onlyRows() {
        return Optional.empty();
    }

    /**
     * Bytes of files that the database does not need any more and would have removed but for this view. Asked now and
     * then, from any thread; 0, the default, if it does not say: then what pins keep alive is not limited.
     */
    default long obsoleteBytes() {
        return 0;
    }

    /** Releases the files. Errors of clean-up are the implementation's to report; nothing is thrown. */
    @Override
    void close();
}
