package io.sluice.streaming.transfer.block;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import java.nio.file.Path;
import java.util.List;

/** A pin of files that nobody changes. */
public record Pinned(TableRef table, List<Path> sstables) implements PinnedTable {
    /** A table of {@code sstables}, which are opened anew. */
    public static OpenedTable of(TableRef table, List<SSTable> sstables) {
        return new OpenedTable(new Pinned(
                table,
                sstables.stream().map(sstable -> sstable.path(Component.DATA)).toList()));
    }

    @Override
    public void close() {
        // Files of a test's own folder.
    }
}
