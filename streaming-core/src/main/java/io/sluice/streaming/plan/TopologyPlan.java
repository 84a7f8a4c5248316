package io.sluice.streaming.plan;

import io.sluice.sstable.token.Token;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Who sends which tokens of which tables to whom, when that ends, and how good it is. Immutable. */
public interface TopologyPlan {
    /**
     * A range of tokens that one node sends to another.
     *
     * @param first its first token, included
     * @param last its last token, included
     * @param bytes estimated
     * @param alternates who else could send it, the nearest first
     * @param reason why this source
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
        ONLY_ONE("nobody else may send it"),
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
     * A node that could have sent something, and was left out since it did not say what it has.
     *
     * @param table of which alone it cannot be asked; empty if it was left out of the whole plan
     * @param reason a sentence for an operator
     */
    record Unavailable(Node node, Optional<TableRef> table, ErrorCode code, String reason) {
        @Override
        public String toString() {
            return node + table.map(only -> " for " + only).orElse("") + ": " + code + ": " + reason;
        }
    }

    /** Of the stream plan of the node that has planned it; the same plan executed twice is executed once. */
    UUID id();

    /** What is to happen. */
    TopologyChange change();

    /** Nodes that were left out, by name; none if all that were asked have answered. */
    List<Unavailable> unavailable();

    /** Who sends how much to whom, why, when that ends, and who was left out: some lines for an operator. */
    String explanation();

    /** All transfers, in a list that makes them when they are asked for. */
    List<Transfer> transfers();

    /** When the slowest sender has sent and the slowest receiver received everything, in seconds from the start. */
    double finishSeconds();

    /** No plan for this change that keeps to its pieces ends before; what is received is the same in all. */
    double boundSeconds();

    /** Whether it is a receiver, and no sender, that decides when the plan ends. */
    boolean isLimitedByReceiver();

    /** By how much the plan may be later than the best one: 0.05 is five percent. */
    double gap();

    /** Whether {@code source} is one of those that set the bound, since others do not have what it has. */
    boolean isBottleneck(Node source);

    /** Bytes of all transfers. */
    long totalBytes();

    /** Bytes that travel between data centres. */
    long bytesBetweenDcs();

    /** When {@code source} will have sent {@code bytes}, in seconds from the start. */
    double finishSeconds(Node source, long bytes);

    /** All destinations, by name. */
    List<Node> destinations();

    /** What {@code destination} has to fetch, and from whom else it may, as its node executes it. */
    StreamPlan streamPlan(UUID id, Node destination);
}
