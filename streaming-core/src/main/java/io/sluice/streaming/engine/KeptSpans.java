package io.sluice.streaming.engine;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.memory.PeerShares;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.planner.SpanArray;
import io.sluice.streaming.planner.SpansBySource;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The answers of sources to one planning, charged to the memory of each source until the planning ends. Not
 * thread-safe: confined to the loop.
 */
final class KeptSpans {
    private final PeerShares memory;
    private final Map<TableRef, Map<Node, List<SSTableSpan>>> spans = new HashMap<>();
    private final Map<Node, Long> chargedBytes = new HashMap<>();

    KeptSpans(PeerShares memory) {
        this.memory = memory;
    }

    /**
     * Charges an answer, and returns it in the form that is kept.
     *
     * @throws StreamException of code {@link ErrorCode#LIMIT} if there is no memory for it
     */
    Map<TableRef, List<SSTableSpan>> charge(Node source, Map<TableRef, List<SSTableSpan>> answer) {
        Map<TableRef, List<SSTableSpan>> kept = new HashMap<>();
        long bytes = 0;
        for (Map.Entry<TableRef, List<SSTableSpan>> table : answer.entrySet()) {
            SpanArray array = new SpanArray(table.getValue());
            kept.put(table.getKey(), array);
            bytes += array.heapBytes();
        }
        PeerMemory ofSource = memory.of(source.id());
        if (!ofSource.tryTake(bytes)) {
            throw new StreamException(
                    ErrorCode.LIMIT, "keeping the answer of " + source + ": " + ofSource.shortage(bytes));
        }
        chargedBytes.merge(source, bytes, Long::sum);
        return kept;
    }

    /** Adds the complete answer of {@code source} to the plan's input. */
    void add(Node source, Map<TableRef, List<SSTableSpan>> held) {
        held.forEach((table, list) ->
                spans.computeIfAbsent(table, known -> new HashMap<>()).put(source, list));
    }

    /** The input of the planner; to be read after the last {@link #add}, from any thread. */
    SpansBySource all() {
        return new SpansBySource(spans);
    }

    /** Releases all answers when the planning has ended. */
    void release() {
        chargedBytes.forEach((source, bytes) -> memory.of(source.id()).release(bytes));
        chargedBytes.clear();
    }
}
