package io.sluice.streaming.engine.send;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore.LiveSSTable;
import io.sluice.streaming.transfer.block.OpenedTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The SSTables of this node in some ranges, for a planner. Thread-safe; called on threads that may block. */
public final class HeldSpans {
    private final NodeContext node;
    private final Pins pins;

    /** Asks the database of {@code node}; pins a table only if the database does not implement the query. */
    public HeldSpans(NodeContext node, Pins pins) {
        this.node = node;
        this.pins = pins;
    }

    /**
     * The SSTables of {@code table} that may hold partitions in {@code ranges}: a database may list more than it was
     * asked for.
     */
    public List<SSTableSpan> of(TableRef table, TokenRanges ranges) throws IOException {
        return listed(table, ranges).stream()
                .filter(span -> ranges.intersects(span.first(), span.last()))
                .toList();
    }

    private List<SSTableSpan> listed(TableRef table, TokenRanges ranges) throws IOException {
        List<SSTableSpan> spans = new ArrayList<>();
        Optional<List<LiveSSTable>> live = node.store().inspect(table, ranges);
        if (live.isPresent()) {
            for (LiveSSTable sstable : live.get()) {
                spans.add(new SSTableSpan(sstable.first(), sstable.last(), sstable.lengthBytes()));
            }
            return spans;
        }
        try (PinnedTable pinned = pins.pin(node.environment().ids().get(), table, ranges)) {
            for (Path dataFile : pinned.sstables()) {
                SSTable sstable = OpenedTable.open(dataFile);
                spans.add(new SSTableSpan(sstable.firstToken(), sstable.lastToken(), sstable.bytesOnDisk()));
            }
        }
        return spans;
    }
}
