package io.sluice.streaming.planner;

import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.Map;

/**
 * The SSTables of each source of each table, as reported by the sources. Assumes that the bytes of an SSTable are
 * distributed evenly between its first and last token. Immutable.
 *
 * @param spans a node without an entry for a table holds nothing of it
 */
public record SpansBySource(Map<TableRef, Map<Node, List<SSTableSpan>>> spans) implements DataSizes {
    /** A source that claims more bytes than this does not make the sum overflow; 8 PiB. */
    static final long MOST_BYTES = 1L << 53;

    @Override
    public long bytes(TableRef table, Node node, long first, long last) {
        long bytes = 0;
        for (SSTableSpan span : spans(table, node)) {
            bytes += Math.min(MOST_BYTES - bytes, span.bytesBetween(first, last));
        }
        return bytes;
    }

    @Override
    public boolean knowsSSTables() {
        return true;
    }

    @Override
    public List<SSTableSpan> spans(TableRef table, Node node) {
        return spans.getOrDefault(table, Map.of()).getOrDefault(node, List.of());
    }
}
