package io.sluice.sstable.json;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.CqlType.Scalar;
import io.sluice.sstable.type.Values;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.util.List;

/** Converts serialized values to JSON. Malformed values are shown as their bytes. Stateless. */
final class ValueJson {
    private ValueJson() {}

    /** Writes {@code value} as a number, string, array or object, depending on its type; an empty value as "". */
    static void write(CqlType type, Bytes value, JsonWriter json) throws IOException {
        StringBuilder text = new StringBuilder();
        try {
            render(
                    type.plain(),
                    value,
                    new JsonWriter(text)); // buffered: a value that fails half-way must not reach the output
        } catch (BufferUnderflowException
                | IllegalArgumentException
                | IndexOutOfBoundsException
                | DateTimeException malformed) {
            json.string("0x" + value.hex());
            return;
        }
        json.raw(text);
    }

    /** The value as the name of a map's entry. */
    private static String text(CqlType type, Bytes value) throws IOException {
        StringBuilder text = new StringBuilder();
        write(type, value, new JsonWriter(text));
        boolean isQuoted = text.length() > 1 && text.charAt(0) == '"';
        if (!isQuoted) {
            return text.toString();
        }
        try {
            return type.plain() instanceof Scalar scalar && !value.isEmpty()
                    ? ValueText.of(scalar, value)
                    : value.utf8();
        } catch (BufferUnderflowException
                | IllegalArgumentException
                | IndexOutOfBoundsException
                | DateTimeException malformed) {
            return "0x" + value.hex();
        }
    }

    private static void render(CqlType type, Bytes value, JsonWriter json) throws IOException {
        if (type instanceof Scalar scalar) {
            scalar(scalar, value, json);
        } else if (type instanceof CqlType.ListOf list) {
            array(list.element(), value.asBuffer(), json);
        } else if (type instanceof CqlType.SetOf set) {
            array(set.element(), value.asBuffer(), json);
        } else if (type instanceof CqlType.MapOf map) {
            map(map, value.asBuffer(), json);
        } else if (type instanceof CqlType.Tuple tuple) {
            tuple(tuple.elements(), value.asBuffer(), json);
        } else if (type instanceof CqlType.UserType user) {
            user(user, value.asBuffer(), json);
        } else if (type instanceof CqlType.Vector vector) {
            vector(vector, value.asBuffer(), json);
        } else {
            json.string("0x" + value.hex());
        }
    }

    private static void scalar(Scalar type, Bytes value, JsonWriter json) throws IOException {
        if (value.isEmpty() && type != Scalar.BLOB) {
            json.string("");
            return;
        }
        String text = ValueText.of(type, value);
        switch (type) {
            case BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, VARINT, DECIMAL, COUNTER -> json.raw(text);
            case FLOAT, DOUBLE -> json.number(Double.parseDouble(text), text);
            default -> json.string(text);
        }
    }

    private static void array(CqlType element, ByteBuffer in, JsonWriter json) throws IOException {
        json.beginArray();
        for (int left = in.getInt(); left > 0; left--) {
            render(element.plain(), Values.take(in, in.getInt()), json);
        }
        json.endArray();
    }

    private static void map(CqlType.MapOf map, ByteBuffer in, JsonWriter json) throws IOException {
        json.beginObject();
        for (int left = in.getInt(); left > 0; left--) {
            json.name(text(map.key(), Values.take(in, in.getInt())));
            render(map.value().plain(), Values.take(in, in.getInt()), json);
        }
        json.endObject();
    }

    private static void tuple(List<CqlType> elements, ByteBuffer in, JsonWriter json) throws IOException {
        json.beginArray();
        for (CqlType element : elements) {
            field(element, in, json);
        }
        json.endArray();
    }

    private static void user(CqlType.UserType user, ByteBuffer in, JsonWriter json) throws IOException {
        json.beginObject();
        for (CqlType.UserType.Field field : user.fields()) {
            json.name(field.name());
            field(field.type(), in, json);
        }
        json.endObject();
    }

    private static void field(CqlType type, ByteBuffer in, JsonWriter json) throws IOException {
        int length = in.hasRemaining() ? in.getInt() : -1;
        if (length < 0) {
            json.nothing();
        } else {
            render(type.plain(), Values.take(in, length), json);
        }
    }

    private static void vector(CqlType.Vector vector, ByteBuffer in, JsonWriter json) throws IOException {
        json.beginArray();
        for (int i = 0; i < vector.dimension(); i++) {
            render(vector.element().plain(), Values.read(vector.element(), in), json);
        }
        json.endArray();
    }
}
