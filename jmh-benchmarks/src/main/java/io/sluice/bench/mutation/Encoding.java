package io.sluice.bench.mutation;

import io.sluice.sstable.data.SerializationHeader;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;

/** How fragments are written. */
public enum Encoding {
    /** Self-describing and of fixed width, as stores keep rows in memory. */
    FIXED(0),
    /** As SSTables write rows: short numbers, times as differences, nothing twice. */
    DELTA(1);

    private final int number;

    Encoding(int number) {
        this.number = number;
    }

    /** The number on the wire. */
    int number() {
        return number;
    }

    FragmentCodec codec(SerializationHeader header) {
        return switch (this) {
            case FIXED -> new FixedCodec(header);
            case DELTA -> new DeltaCodec(header);
        };
    }

    static Encoding ofNumber(int number) {
        return switch (number) {
            case 0 -> FIXED;
            case 1 -> DELTA;
            default ->
                throw new StreamException(
                        ErrorCode.PROTOCOL, "encoding of rows: " + number + " (expected: 0 fixed, 1 delta)");
        };
    }
}
