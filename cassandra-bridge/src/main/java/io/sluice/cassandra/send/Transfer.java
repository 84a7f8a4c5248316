package io.sluice.cassandra.send;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.TokenRanges;
import java.util.List;

/** What one node gets of one SSTable. Immutable. */
public sealed interface Transfer {
    SSTable sstable();

    /** File bytes that leave, before any compression of the transfer's own; about, of a part of compressed data. */
    long lengthBytes();

    /**
     * All of it, every component as it lies there.
     *
     * @param components file name parts, in the order of sending
     */
    record Whole(SSTable sstable, List<Piece> components) implements Transfer {
        public Whole {
            components = List.copyOf(components);
        }

        @Override
        public long lengthBytes() {
            return components.stream().mapToLong(Piece::lengthBytes).sum();
        }
    }

    /**
     * Token ranges of it, cut out as one SSTable when its turn comes; no row is decoded at either end.
     *
     * @param ranges of which at least one holds partitions
     * @param lengthBytes about, of Data.db as it is stored
     */
    record Slice(SSTable sstable, TokenRanges ranges, long lengthBytes) implements Transfer {}

    /** A component: {@code Data.db}, and its length. */
    record Piece(String name, long lengthBytes) {}

    /** The partitions of some sections; the node decodes and writes them anew. */
    record Part(SSTable sstable, List<Section> sections) implements Transfer {
        public Part {
            sections = List.copyOf(sections);
        }

        @Override
        public long lengthBytes() {
            long plain = sections.stream().mapToLong(Section::lengthBytes).sum();
            return storedLengthBytes(sstable, plain);
        }
    }

    /**
     * How long {@code plainBytes} of Data.db are as stored, about: counting chunks would cost a pass over their table.
     */
    static long storedLengthBytes(SSTable sstable, long plainBytes) {
        double ratio = (double) sstable.lengthBytes(Component.DATA) / sstable.dataLengthBytes();
        return Math.round(plainBytes * ratio);
    }
}
