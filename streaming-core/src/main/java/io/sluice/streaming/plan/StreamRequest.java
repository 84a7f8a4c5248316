package io.sluice.streaming.plan;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;

/** A request to fetch some ranges of one table from one source. Immutable. */
public record StreamRequest(Node source, TableRef table, TokenRanges ranges) {
    public StreamRequest {
        if (ranges.isEmpty()) {
            throw new IllegalArgumentException("request for " + table + " from " + source + ": no ranges");
        }
    }
}
