package io.sluice.harness.store;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;

/** Token ranges in which a compaction purged tombstones. Not thread-safe: confined to it. */
final class PurgedTokens {
    private long first = Long.MAX_VALUE;
    private long last = Long.MIN_VALUE;
    private long count;

    void add(Token token) {
        first = Math.min(first, token.value());
        last = Math.max(last, token.value());
        count++;
    }

    /** Number of purged tombstones and expired cells. */
    long count() {
        return count;
    }

    /** Whether some of them may be in {@code ranges}; may return true by mistake, but never false. */
    boolean mayLieIn(TokenRanges ranges) {
        return count > 0 && ranges.intersects(new Token(first), new Token(last));
    }
}
