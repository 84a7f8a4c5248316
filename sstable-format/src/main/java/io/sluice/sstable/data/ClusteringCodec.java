package io.sluice.sstable.data;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.Values;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Reads and writes the values of clusterings and bounds. Immutable. */
public final class ClusteringCodec {
    private static final int PER_BLOCK = 32;

    private final List<CqlType> types;

    public ClusteringCodec(List<CqlType> types) {
        this.types = List.copyOf(types);
    }

    ClusteringPrefix readRow(ComponentInput in) throws IOException {
        return new ClusteringPrefix(ClusteringPrefix.Kind.ROW, readValues(in, types.size()));
    }

    /** Reads kind, number of values and values of a bound or boundary. */
    ClusteringPrefix readBound(ComponentInput in) throws IOException {
        int number = in.readByte();
        ClusteringPrefix.Kind kind = ClusteringPrefix.Kind.ofNumber(number)
                .filter(known -> known.side() != 0)
                .orElseThrow(() -> in.malformed("kind of a marker: " + number + " (expected: 0, 1, 2, 5, 6 or 7)"));
        int count = in.readUnsignedShort();
        if (count > types.size()) {
            throw in.malformed("values of a marker: " + count + " (expected: at most " + types.size() + ")");
        }
        return new ClusteringPrefix(kind, readValues(in, count));
    }

    private @Nullable Bytes[] readValues(ComponentInput in, int count) throws IOException {
        @Nullable Bytes[] values = new Bytes[count];
        long gaps = 0;
        for (int i = 0; i < count; i++) {
            if (i % PER_BLOCK == 0) {
                gaps = in.readUnsignedVInt();
            }
            int shift = 2 * (i % PER_BLOCK);
            if ((gaps >>> shift & 3) == 0) {
                OptionalInt fixed = types.get(i).fixedLength();
                values[i] = in.readBytes(fixed.isPresent() ? fixed.getAsInt() : in.readUnsignedVInt());
            } else if ((gaps >>> shift & 1) != 0) {
                values[i] = Bytes.EMPTY;
            }
        }
        return values;
    }

    /** Writes the values alone, as rows have them. */
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

    /** Writes kind, number of values and values, as markers and the statistics have them. */
    void writeBound(ClusteringPrefix bound, GrowingBuffer out) {
        out.putByte(bound.kind().number()).putShort(bound.length());
        writeValues(bound, out);
    }

    /** Writes a row's place or a bound, as the index has them. */
    void writePrefix(ClusteringPrefix prefix, GrowingBuffer out) {
        if (prefix.kind() == ClusteringPrefix.Kind.ROW) {
            out.putByte(prefix.kind().number());
            writeValues(prefix, out);
        } else {
            writeBound(prefix, out);
        }
    }
}
