package io.sluice.sstable.metadata;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.TypeNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** Bounds of the clusterings of all rows and markers of an SSTable. They must enclose them; wider bounds are valid. */
public sealed interface CoveredClusterings {

    /** Before 5.0: minimum and maximum values for each column, up to the first missing one. Immutable. */
    record Prefixes(List<Bytes> least, List<Bytes> greatest) implements CoveredClusterings {
        public Prefixes {
            least = List.copyOf(least);
            greatest = List.copyOf(greatest);
        }
    }

    /**
     * From 5.0 on: a start and an end bound. Immutable.
     *
     * @param typeNames of the clustering columns, which determine the layout of the bounds
     * @param start encoded: {@code u8} kind, {@code u16} number of values, values as in rows
     * @param end encoded likewise
     */
    record Bounds(List<String> typeNames, Bytes start, Bytes end) implements CoveredClusterings {
        private static final int MAX_TYPES = 1 << 16;

        public Bounds {
            typeNames = List.copyOf(typeNames);
        }
    }

    /** Reads the bounds in the format of a version. */
    static CoveredClusterings read(ComponentInput in, Version version) throws IOException {
        return version.hasBoundsInStatistics() ? readBounds(in) : new Prefixes(readPrefix(in), readPrefix(in));
    }

    /** Writes the bounds in the format of {@link #read}. */
    default void write(GrowingBuffer out) {
        if (this instanceof Prefixes prefixes) {
            for (List<Bytes> values : List.of(prefixes.least(), prefixes.greatest())) {
                out.putInt(values.size());
                values.forEach(out::putShortBytes);
            }
        } else if (this instanceof Bounds bounds) {
            out.putUnsignedVInt(bounds.typeNames().size());
            bounds.typeNames().forEach(name -> out.putVIntBytes(Bytes.utf8(name)));
            out.put(bounds.start()).put(bounds.end());
        }
    }

    private static List<Bytes> readPrefix(ComponentInput in) throws IOException {
        int count = in.readIntCount("clustering values", Short.BYTES);
        var values = new ArrayList<Bytes>(count);
        for (int i = 0; i < count; i++) {
            values.add(in.readShortBytes());
        }
        return values;
    }

    private static Bounds readBounds(ComponentInput in) throws IOException {
        int count = (int) in.require("clustering types", in.readVIntCount("clustering types", 1), 0, Bounds.MAX_TYPES);
        var names = new ArrayList<String>(count);
        var types = new ArrayList<CqlType>(count);
        for (int i = 0; i < count; i++) {
            String name = in.readVIntBytes().utf8();
            names.add(name);
            types.add(parseType(in, name));
        }
        return new Bounds(names, readBound(in, types), readBound(in, types));
    }

    private static CqlType parseType(ComponentInput in, String name) throws SSTableException {
        try {
            return TypeNames.parse(name);
        } catch (SSTableException unreadable) {
            if (unreadable.isUnsupported()) {
                throw SSTableException.unsupported(in.file() + ": clustering " + unreadable.getMessage());
            }
            throw in.malformed("clustering type: " + unreadable.getMessage());
        }
    }

    /** Scans a bound to find its length, then takes its bytes. */
    private static Bytes readBound(ComponentInput in, List<CqlType> types) throws IOException {
        long start = in.position();
        in.require("kind of bound", in.readUnsignedByte(), 0, 7);
        int count = (int) in.require("values of a bound", in.readUnsignedShort(), 0, types.size());
        long states = 0;
        for (int i = 0; i < count; i++) {
            if (i % 32 == 0) {
                states = in.readUnsignedVInt();
            }
            boolean hasBytes = (states >>> (i % 32 * 2) & 3) == 0;
            if (hasBytes) {
                OptionalInt fixed = types.get(i).fixedLength();
                in.skip(fixed.isPresent() ? fixed.getAsInt() : in.readUnsignedVInt());
            }
        }
        long length = in.position() - start;
        in.seek(start);
        return in.readBytes(length);
    }
}
