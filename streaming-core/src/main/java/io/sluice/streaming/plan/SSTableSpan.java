package io.sluice.streaming.plan;

import io.sluice.sstable.token.Token;

/**
 * What a planner needs to know of one SSTable of a source: its first and last token (both included) and how many bytes
 * all its components have. Immutable.
 */
public record SSTableSpan(Token first, Token last, long lengthBytes) {
    public SSTableSpan {
        if (first.compareTo(last) > 0 || lengthBytes < 0) {
            throw new IllegalArgumentException("span: " + first + " to " + last + ", " + lengthBytes + " bytes");
        }
    }
}
