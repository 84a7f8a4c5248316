package io.sluice.sstable.json;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.CqlType.Scalar;
import io.sluice.sstable.type.Values;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.List;

/**
 * Formats partition keys and the paths of cells as the reference tool does, which is not JSON: collections and blobs
 * are hexadecimal digits, the parts of a tuple or user type stand between colons. Malformed values are shown as their
 * bytes behind {@code 0x}. Stateless.
 */
final class KeyText {
    private KeyText() {}

    static String of(CqlType type, Bytes value) {
        try {
            return wellFormed(type.plain(), value);
        } catch (BufferUnderflowException
                | IllegalArgumentException
                | IndexOutOfBoundsException
                | DateTimeException malformed) {
            return "0x" + value.hex();
        }
    }

    private static String wellFormed(CqlType type, Bytes value) {
        if (type instanceof Scalar scalar) {
            return value.isEmpty() ? "" : scalar(scalar, value);
        }
        if (type instanceof CqlType.Tuple tuple) {
            return parts(tuple.elements(), value.asBuffer());
        }
        if (type instanceof CqlType.UserType user) {
            return parts(
                    user.fields().stream().map(CqlType.UserType.Field::type).toList(), value.asBuffer());
        }
        return value.hex();
    }

    private static String scalar(Scalar type, Bytes value) {
        return switch (type) {
            case BLOB -> value.hex();
            case TIMESTAMP, OLD_DATE -> ValueText.of(type, value).replace(' ', 'T');
            default -> ValueText.of(type, value);
        };
    }

    /** Colons within a part are escaped, because they separate parts; so is the sign of a null part. */
    private static String parts(List<CqlType> types, ByteBuffer in) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < types.size() && in.hasRemaining(); i++) {
            int length = in.getInt();
            parts.add(
                    length < 0
                            ? "@"
                            : wellFormed(types.get(i).plain(), Values.take(in, length))
                                    .replace(":", "\\:")
                                    .replace("@", "\\@"));
        }
        return String.join(":", parts);
    }
}
