package io.sluice.streaming.plan;

import io.sluice.sstable.token.Token;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Which node sends which tokens of which tables to which node, with an estimate of the duration. Immutable. */
public interface TopologyPlan {
    /**
     * A range of tokens that one node sends to another.
     *
     * @param first its first token, included
     * @param last its last token, included
     * @param bytes estimated
     * @param alternates alternate replicas, the nearest first
     * @param reason why this source was chosen
     */
    record Transfer(
            Node source,
            Node destination,
            TableRef table,
            Token first,
            Token last,
            long bytes,
            List<Node> alternates,
            Reason reason) {}

    /** Why a source was chosen. */
    enum Reason {
        ONLY_ONE("only possible source"),
        NEAREST("nearest, and in time"),
        EVEN("so that all finish at the same time");

        private final String text;

        Reason(String text) {
            this.text = text;
        }

        /** Human-readable. */
        public String text() {
            return text;
        }
    }

    /**
     * A possible source that was left out because it did not report its data.
     *
     * @param table the only table for which it was left out; empty if it was left out of the whole plan
     * @param reason a sentence for an operator
     */
    record Unavailable(Node node, Optional<TableRef> table, ErrorCode code, String reason) {
        @Override
        public String toString() {
            return node + table.map(only -> " for " + only).orElse("") + ": " + code + ": " + reason;
        }
    }

    /** The id of the stream plan of the planning node. A plan is executed only once. */
    UUID id();

    /** The planned change. */
    TopologyChange change();

    /** Nodes that were left out, by name; empty if all sources answered. */
    List<Unavailable> unavailable();

    /**
     * A summary for an operator: who sends how much to whom and why, the duration, and the nodes that were left out.
     */
    String explanation();

    /** All transfers, in a list that creates its elements on access. */
    List<Transfer> transfers();

    /** The estimated duration in seconds: until the slowest sender and the slowest receiver have finished. */
    double finishSeconds();

    /** The lower bound of {@link #finishSeconds}, for any plan with the same pieces of ranges. */
    double boundSeconds();

    /** Whether a receiver, not a sender, determines the duration. */
    boolean isLimitedByReceiver();

    /** By how much the plan may exceed the lower bound: 0.05 is five percent. */
    double gap();

    /** Whether {@code source} determines the lower bound because only it has some of the data. */
    boolean isBottleneck(Node source);

    /** Bytes of all transfers. */
    long totalBytes();

    /** Bytes that travel between data centres. */
    long bytesBetweenDcs();

    /** How long {@code source} needs to send {@code bytes}, in seconds. */
    double finishSeconds(Node source, long bytes);

    /** All destinations, by name. */
    List<Node> destinations();

    /** The stream plan of {@code destination}, with alternates. */
    StreamPlan streamPlan(UUID id, Node destination);
}
