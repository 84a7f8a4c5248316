package io.sluice.streaming.plan;

import io.sluice.sstable.token.Token;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.List;
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

    /** What is to happen. */
    TopologyChange change();

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
