package io.sluice.streaming.engine;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.Map;

/** Validates the answers of sources. Stateless. */
final class SourceAnswers {
    /** 4 PiB: more than any node has; the sum of the answers of two thousand sources fits in a long. */
    private static final long MAX_BYTES = 1L << 52;

    private SourceAnswers() {}

    /**
     * Checks an answer.
     *
     * @throws StreamException of code {@link ErrorCode#PROTOCOL} if it names a table or tokens that were not requested,
     *     or impossible sizes
     */
    static void require(Node source, Map<TableRef, TokenRanges> asked, Map<TableRef, List<SSTableSpan>> answer) {
        long leftBytes = MAX_BYTES;
        for (Map.Entry<TableRef, List<SSTableSpan>> table : answer.entrySet()) {
            TokenRanges ranges = asked.getOrDefault(table.getKey(), TokenRanges.NONE);
            for (SSTableSpan span : table.getValue()) {
                if (span.lengthBytes() > leftBytes) {
                    throw wrong(source, table.getKey(), span, "expected: at most " + MAX_BYTES + " bytes in all");
                }
                if (!ranges.intersects(span.first(), span.last())) {
                    throw wrong(source, table.getKey(), span, "expected: requested tokens");
                }
                leftBytes -= span.lengthBytes();
            }
        }
    }

    private static StreamException wrong(Node source, TableRef table, SSTableSpan span, String expected) {
        return new StreamException(
                ErrorCode.PROTOCOL,
                source + " reported an SSTable of " + table + " from token " + span.first() + " to " + span.last()
                        + " of " + span.lengthBytes() + " bytes (" + expected + ")");
    }
}
