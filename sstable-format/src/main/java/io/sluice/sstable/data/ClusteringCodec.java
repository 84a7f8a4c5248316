package io.sluice.sstable.data;

import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.Values;
import java.util.List;

/** Writes the values of clusterings and bounds; {@link Clustering} reads them. Immutable. */
final class ClusteringCodec {
    /** The number of values that share a uvint with their null and empty bits. */
    static final int PER_BLOCK = 32;

    private final List<CqlType> types;

    ClusteringCodec(List<CqlType> types) {
        this.types = List.copyOf(types);
    }

    /** Writes only the values, as in rows. */
    void writeValues(ClusteringPrefix prefix, GrowingBuffer out) {
        for (int start = 0; start < prefix.length(); start += PER_BLOCK) {
            int end = Math.min(prefix.length(), start + PER_BLOCK);
            long gaps = 0;
            for (int i = start; i < end; i++) {
                long gap = prefix.isNull(i) ? 2 : prefix.value(i).isEmpty() ? 1 : 0;
                gaps |= gap << (2 * (i - start));
            }
            out.putUnsignedVInt(gaps);
            for (int i = start; i < end; i++) {
                if (!prefix.value(i).isEmpty()) {
                    Values.write(types.get(i), prefix.value(i), out);
                }
            }
        }
    }

    /** Writes kind, number of values and values, as in markers and statistics. */
    void writeBound(ClusteringPrefix bound, GrowingBuffer out) {
        out.putByte(bound.kind().number()).putShort(bound.length());
        writeValues(bound, out);
    }

    /** Writes a row's clustering or a bound, as in the index. */
    void writePrefix(ClusteringPrefix prefix, GrowingBuffer out) {
        if (prefix.kind() == ClusteringPrefix.Kind.ROW) {
            out.putByte(prefix.kind().number());
            writeValues(prefix, out);
        } else {
            writeBound(prefix, out);
        }
    }
}
