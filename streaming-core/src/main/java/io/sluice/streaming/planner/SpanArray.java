package io.sluice.streaming.planner;

import io.sluice.sstable.token.Token;
import java.util.AbstractList;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;

/**
 * The spans of one source and table in arrays: a planner may keep millions of them. Immutable.
 *
 * @implNote A list, so that planners need not know the difference; creates elements on access.
 */
public final class SpanArray extends AbstractList<SSTableSpan> implements RandomAccess {
    private static final int LONGS_PER_SPAN = 3;
    /** The table's entry, the list and the head of its array. */
    private static final long LIST_BYTES = 256;

    private final long[] spans;

    /** A copy of {@code spans}. */
    public SpanArray(List<SSTableSpan> spans) {
        this.spans = new long[Math.multiplyExact(LONGS_PER_SPAN, spans.size())];
        int at = 0;
        for (SSTableSpan span : spans) {
            this.spans[at++] = span.first().value();
            this.spans[at++] = span.last().value();
            this.spans[at++] = span.lengthBytes();
        }
    }

    /** Its heap memory, rounded up. */
    public long heapBytes() {
        return LIST_BYTES + (long) Long.BYTES * spans.length;
    }

    @Override
    public SSTableSpan get(int index) {
        int at = LONGS_PER_SPAN * Objects.checkIndex(index, size());
        return new SSTableSpan(new Token(spans[at]), new Token(spans[at + 1]), spans[at + 2]);
    }

    @Override
    public int size() {
        return spans.length / LONGS_PER_SPAN;
    }
}
