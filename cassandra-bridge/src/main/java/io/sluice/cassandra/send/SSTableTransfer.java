package io.sluice.cassandra.send;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRanges;
import java.util.List;

/** What one node receives of one SSTable. Immutable. */
public sealed interface SSTableTransfer {
    SSTable sstable();

    /** File bytes to send, before the transfer's own compression; an estimate for sections of compressed data. */
    long lengthBytes();

    /**
     * The whole SSTable: every component, unchanged.
     *
     * @param components file name parts, in the order of sending
     */
    record Whole(SSTable sstable, List<ComponentLength> components) implements SSTableTransfer {
        public Whole {
            components = List.copyOf(components);
        }

        @Override
        public long lengthBytes() {
            return components.stream().mapToLong(ComponentLength::lengthBytes).sum();
        }
    }

    /**
     * Token ranges of the SSTable, cut out as one slice when it is sent; neither end decodes rows.
     *
     * @param ranges at least one of them has partitions
     * @param lengthBytes estimated stored size of its Data.db
     */
    record Slice(SSTable sstable, TokenRanges ranges, long lengthBytes) implements SSTableTransfer {}

    /** A component, such as {@code Data.db}, and its length. */
    record ComponentLength(String name, long lengthBytes) {}

    /**
     * The partitions of token ranges, which the node decodes and writes anew. Their positions are looked up when they
     * are sent: a plan for a thousand nodes has many of these.
     *
     * @param ranges at least one of them has partitions
     * @param lengthBytes estimated stored size of them in its Data.db
     */
    record Part(SSTable sstable, TokenRanges ranges, long lengthBytes) implements SSTableTransfer {}

    /** Estimated stored size of {@code plainBytes} of Data.db: counting chunks would cost a pass over their table. */
    static long storedLengthBytes(SSTable sstable, long plainBytes) {
        double ratio = (double) sstable.lengthBytes(Component.DATA) / sstable.dataLengthBytes();
        return Math.round(plainBytes * ratio);
    }
}
