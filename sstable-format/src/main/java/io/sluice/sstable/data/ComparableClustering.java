package io.sluice.sstable.data;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.type.ComparableBytes;
import io.sluice.sstable.type.CqlType;
import java.nio.BufferUnderflowException;
import java.util.List;

/**
 * Encodes positions in a partition so that the order of unsigned bytes is their order: each value as by
 * {@link ComparableBytes}, then 20 before, 38 for, or 60 after the rows that begin with these values. Immutable.
 */
final class ComparableClustering {
    private static final int BEFORE = 0x20;
    private static final int AFTER = 0x60;

    private final List<CqlType> types;

    ComparableClustering(List<CqlType> types) {
        this.types = List.copyOf(types);
    }

    /** Whether all types have such an encoding. */
    boolean isKnown() {
        return types.stream().allMatch(ComparableBytes::isKnown);
    }

    /**
     * Encodes {@code place}, which must not be the static one.
     *
     * @throws SSTableException if a value is not of its type
     */
    byte[] of(ClusteringPrefix place) throws SSTableException {
        try {
            return encode(place);
        } catch (BufferUnderflowException
                | IndexOutOfBoundsException
                | NumberFormatException
                | ArithmeticException malformed) {
            throw new SSTableException(
                    "clustering " + place + " (expected: values of "
                            + types.stream().map(CqlType::className).toList() + ")",
                    malformed);
        }
    }

    private byte[] encode(ClusteringPrefix place) {
        var out = new GrowingBuffer();
        for (int i = 0; i < place.length(); i++) {
            if (place.isNull(i)) {
                ComparableBytes.writeNull(out);
            } else {
                ComparableBytes.writeClustering(types.get(i), place.value(i), out);
            }
        }
        int side = place.kind().side();
        out.putByte(side == 0 ? ComparableBytes.END : side < 0 ? BEFORE : AFTER);
        return out.toBytes().toArray();
    }
}
