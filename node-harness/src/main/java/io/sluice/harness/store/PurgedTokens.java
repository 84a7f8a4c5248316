package io.sluice.harness.store;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;

/** Between which tokens a compaction has forgotten deletions. Not thread-safe: confined to it. */
final class PurgedTokens {
    private long first = Long.MAX_VALUE;
    private long last = Long.MIN_VALUE;
    private long count;

    void add(Token token) {
        first = Math.min(first, token.value());
        last = Math.max(last, token.value());
        count++;
    }

    /** How many deletions, and things that had expired. */
    long count() {
        return count;
    }

    /** Whether some of them may lie in {@code ranges}; rather yes than no. */
    boolean mayLieIn(TokenRanges ranges) {
        return count > 0 && ranges.intersects(new Token(first), new Token(last));
    }
}
