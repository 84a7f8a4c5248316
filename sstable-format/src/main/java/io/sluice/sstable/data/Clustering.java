package io.sluice.sstable.data;

import io.sluice.sstable.data.ClusteringPrefix.Kind;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ItemWindow;
import io.sluice.sstable.type.CqlType;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The positions of the clustering values of the current item in a window. Not thread-safe: reused for each item. */
final class Clustering {
    private static final int NULL = -1;

    private final int[] fixedLengths;
    private final int[] offsets;
    private final int[] lengths;
    private Kind kind = Kind.STATIC;
    private int count;

    Clustering(List<CqlType> types) {
        this.fixedLengths = fixedLengths(types);
        this.offsets = new int[types.size()];
        this.lengths = new int[types.size()];
    }

    /** The length of all values of each type, or -1 if each value has a length prefix. */
    static int[] fixedLengths(List<CqlType> types) {
        return types.stream().mapToInt(type -> type.fixedLength().orElse(-1)).toArray();
    }

    Kind kind() {
        return kind;
    }

    void setStatic() {
        kind = Kind.STATIC;
        count = 0;
    }

    void readRow(ItemWindow in) throws IOException {
        if (kind != Kind.ROW) { // storing a reference costs more than comparing it
            kind = Kind.ROW;
        }
        count = fixedLengths.length;
        readValues(in);
    }

    /** Reads kind, number of values and values of a bound or boundary. */
    void readBound(ItemWindow in) throws IOException {
        int number = in.readByte();
        kind = Kind.ofNumber(number)
                .filter(known -> known.side() != 0)
                .orElseThrow(() -> in.malformed("kind of a marker: " + number + " (expected: 0, 1, 2, 5, 6 or 7)"));
        count = (int) in.require("values of a marker", in.readUnsignedShort(), fixedLengths.length);
        readValues(in);
    }

    private void readValues(ItemWindow in) throws IOException {
        long gaps = 0;
        for (int i = 0; i < count; i++) {
            if (i % ClusteringCodec.PER_BLOCK == 0) {
                gaps = in.readUnsignedVInt();
            }
            int gap = (int) (gaps >>> (2 * (i % ClusteringCodec.PER_BLOCK))) & 3;
            if (gap == 0) {
                long length = fixedLengths[i] >= 0 ? fixedLengths[i] : in.readUnsignedVInt();
                offsets[i] = in.offset();
                in.skip(length);
                lengths[i] = (int) length;
            } else {
                offsets[i] = 0;
                lengths[i] = (gap & 1) != 0 ? 0 : NULL;
            }
        }
    }

    /** A copy as an object, with views of {@code item}. */
    ClusteringPrefix toPrefix(byte[] item) {
        if (kind == Kind.STATIC) {
            return ClusteringPrefix.STATIC;
        }
        @Nullable Bytes[] values = new Bytes[count];
        Arrays.setAll(values, i -> lengths[i] == NULL ? null : Bytes.wrap(item, offsets[i], lengths[i]));
        return new ClusteringPrefix(kind, values);
    }
}
