package io.sluice.streaming.planner;

import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.List;

/** The sizes of tables on nodes, as a planner needs them. Implementations are immutable. */
public interface DataSizes {
    /**
     * Estimates the bytes that {@code node} would send for the tokens {@code first} to {@code last} of {@code table},
     * both included; not negative.
     */
    long bytes(TableRef table, Node node, long first, long last);

    /**
     * The SSTables of {@code table} on {@code node} if they are known individually; otherwise empty. Plans that must
     * not cut SSTables keep each in one piece; others prefer to cut a range at the end of an SSTable.
     */
    List<SSTableSpan> spans(TableRef table, Node node);

    /** Whether SSTables are known individually, so that plans keep them whole where possible. */
    boolean knowsSSTables();

    /** An even distribution of bytes over the ring: {@code bytesPerReplica} for the whole ring. */
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
