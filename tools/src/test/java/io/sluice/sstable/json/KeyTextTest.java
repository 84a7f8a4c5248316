package io.sluice.sstable.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.CqlType.Scalar;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class KeyTextTest {
    private static final CqlType LIST = new CqlType.Frozen(new CqlType.ListOf(Scalar.INT));
    private static final CqlType TUPLE = new CqlType.Frozen(new CqlType.Tuple(List.of(Scalar.INT, Scalar.TEXT, LIST)));
    private static final CqlType USER = new CqlType.Frozen(new CqlType.UserType(
            "ks",
            "place",
            List.of(new CqlType.UserType.Field("b", Scalar.INT), new CqlType.UserType.Field("c", Scalar.TEXT))));

    /** The text is what the types of 4.1.10 and of 5.0.9 print; vectors are of 5.0.9 alone. */
    static Stream<Arguments> printed() {
        return Stream.of(
                Arguments.of(Scalar.BLOB, "6162", "6162"),
                Arguments.of(Scalar.BLOB, "", ""),
                Arguments.of(Scalar.INT, "", ""),
                Arguments.of(Scalar.TEXT, "613a62", "a:b"),
                Arguments.of(Scalar.DOUBLE, "7ff8000000000000", "NaN"),
                Arguments.of(Scalar.TIMESTAMP, "0000000000000400", "1970-01-01T00:00:01.024Z"),
                Arguments.of(new CqlType.Reversed(Scalar.TIMESTAMP), "ffffff0000000000", "1935-02-28T04:06:12.224Z"),
                Arguments.of(LIST, "0000000100000004000000ff", "0000000100000004000000ff"),
                Arguments.of(
                        new CqlType.Frozen(new CqlType.MapOf(Scalar.TEXT, Scalar.INT)),
                        "0000000100000001610000000400000003",
                        "0000000100000001610000000400000003"),
                Arguments.of(new CqlType.Vector(Scalar.FLOAT, 2), "3f8000003f800000", "3f8000003f800000"),
                Arguments.of(
                        TUPLE,
                        "000000040000000500000005613a62404d0000000c000000010000000400000009",
                        "5:a\\:b\\@M:000000010000000400000009"),
                Arguments.of(TUPLE, "0000000400000005ffffffffffffffff", "5:@:@"),
                Arguments.of(TUPLE, "0000000400000005", "5"),
                Arguments.of(TUPLE, "000000040000000500000000", "5:"),
                Arguments.of(TUPLE, "", ""),
                Arguments.of(USER, "00000004000000050000000362225c", "5:b\"\\"),
                Arguments.of(
                        new CqlType.Tuple(List.of(
                                new CqlType.Tuple(List.of(Scalar.INT, Scalar.TEXT)), Scalar.INT, Scalar.TIMESTAMP)),
                        "0000000d000000040000000500000001620000000400000001000000080000000000000400",
                        "5\\:b:1:1970-01-01T00\\:00\\:01.024Z"));
    }

    @ParameterizedTest
    @MethodSource("printed")
    void prints_a_key_as_the_reference_tool_does(CqlType type, String hex, String expected) {
        assertThat(KeyText.of(type, Bytes.hex(hex))).isEqualTo(expected);
    }

    @Test
    void prints_the_bytes_of_a_malformed_key() {
        assertThat(KeyText.of(TUPLE, Bytes.hex("00000009aa"))).isEqualTo("0x00000009aa");
        assertThat(KeyText.of(Scalar.INT, Bytes.hex("00"))).isEqualTo("0x00");
    }
}
