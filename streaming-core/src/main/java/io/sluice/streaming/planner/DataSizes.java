package io.sluice.streaming.planner;

import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.List;

/** How much of a table a node holds, as far as a planner needs to know. Implementations are immutable. */
public interface DataSizes {
    /**
     * About how many bytes {@code node} would send for the tokens {@code first} to {@code last} of {@code table}, both
     * included.
     */
    long bytes(TableRef table, Node node, long first, long last);

    /**
     * The SSTables of {@code table} on {@code node} if they are known one by one; else none. Plans that may not cut an
     * SSTable keep each in one piece; others cut a range where an SSTable ends, if they can choose.
     */
    List<SSTableSpan> spans(TableRef table, Node node);

    /** Whether SSTables are known one by one, so that plans keep them whole where they can. */
    boolean knowsSSTables();

    /** The same density of bytes everywhere: {@code bytesPerReplica} for the whole ring. */
    static DataSizes even(long bytesPerReplica) {
        return new DataSizes() {
            private static final double RING = 0x1p64;

            @Override
            public long bytes(TableRef table, Node node, long first, long last) {
                return Math.round(bytesPerReplica * (SSTableSpan.width(first, last) / RING));
            }

            @Override
            public boolean knowsSSTables() {
                return false;
            }

            @Override
            public List<SSTableSpan> spans(TableRef table, Node node) {
                return List.of();
            }
        };
    }
}
