package io.sluice.streaming.store;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * An immutable view of some SSTables of a table: until the view is closed their files do not change, whatever the
 * database compacts or deletes. Sluice closes a view exactly once, also after failures. A database that needs the files
 * sooner calls {@code StreamingNode.revokePins}.
 */
public interface PinnedTable extends AutoCloseable {
    /** The table. */
    TableRef table();

    /**
     * The {@code Data.db} file of each pinned SSTable, such as {@code /snapshots/7/nb-42-big-Data.db}; may be empty. An
     * equal path that is listed twice counts once. Its other components, and the index files that its TOC.txt lists,
     * are beside it with the same descriptor. Sluice opens and closes the files.
     */
    List<Path> sstables();

    /**
     * Why receivers must decode the rows of this table, human-readable: for example, it has a materialized view or
     * change data capture. Empty, the default, if SSTables may be sent as files.
     */
    default Optional<String> onlyRows() {
        return Optional.empty();
    }

    /**
     * Bytes of obsolete files that only this view keeps on the disk. Called periodically, on any thread. With the
     * default, 0, Sluice does not limit what pins keep.
     */
    default long obsoleteBytes() {
        return 0;
    }

    /** Releases the files. Throws nothing: the implementation reports its own errors. */
    @Override
    void close();
}
