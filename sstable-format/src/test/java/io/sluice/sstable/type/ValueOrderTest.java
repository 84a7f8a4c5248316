package io.sluice.sstable.type;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.type.CqlType.Scalar;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ValueOrderTest {

    private static void assertAscending(CqlType type, Bytes... ascending) {
        List<Bytes> sorted = new ArrayList<>(List.of(ascending));
        Collections.shuffle(sorted, new Random(1));

        sorted.sort(ValueOrder.of(type));

        assertThat(sorted).containsExactly(ascending);
    }

    @Test
    void orders_integers_by_sign_and_magnitude_the_empty_one_first() {
        assertAscending(
                Scalar.INT,
                Bytes.EMPTY,
                Bytes.ofInt(Integer.MIN_VALUE),
                Bytes.ofInt(-1),
                Bytes.ofInt(0),
                Bytes.ofInt(Integer.MAX_VALUE));
    }

    @Test
    void orders_a_reversed_type_the_other_way_round() {
        assertAscending(
                new CqlType.Reversed(Scalar.BIGINT), Bytes.ofLong(2), Bytes.ofLong(1), Bytes.ofLong(-1), Bytes.EMPTY);
    }

    private static Bytes composite(int end, Bytes... parts) {
        var value = new GrowingBuffer();
        for (int i = 0; i < parts.length; i++) {
            value.putShortBytes(parts[i]).putByte(i + 1 < parts.length ? 0 : end);
        }
        return value.toBytes();
    }

    @Test
    void orders_composites_by_their_parts_and_not_by_their_lengths() {
        assertAscending(
                new CqlType.Composite(List.of(Scalar.TEXT, Scalar.INT)),
                Bytes.EMPTY,
                composite(0, Bytes.EMPTY, Bytes.ofInt(7)),
                composite(-1, Bytes.utf8("aa")),
                composite(0, Bytes.utf8("aa")),
                composite(0, Bytes.utf8("aa"), Bytes.ofInt(-1)),
                composite(0, Bytes.utf8("aa"), Bytes.ofInt(1)),
                composite(1, Bytes.utf8("aa")),
                composite(0, Bytes.utf8("b"), Bytes.ofInt(0)));
    }

    @Test
    void orders_text_as_unsigned_bytes() {
        assertAscending(Scalar.TEXT, Bytes.utf8("a"), Bytes.utf8("ab"), Bytes.utf8("z"), Bytes.utf8("ä"));
    }

    @Test
    void orders_decimals_by_number_and_not_by_scale() {
        assertAscending(
                Scalar.DECIMAL,
                Bytes.hex("00000000ff"), // -1
                Bytes.hex("0000000105"), // 0.5
                Bytes.hex("0000000001"), // 1
                Bytes.hex("ffffffff01")); // 10
    }

    @Test
    void orders_time_uuids_by_time_then_by_signed_bytes() {
        assertAscending(
                Scalar.TIMEUUID,
                Bytes.hex("ffffffff000011f0ff00000000000000"),
                Bytes.hex("00000000000111f0ff00000000000000"),
                Bytes.hex("00000000000111f00000000000000000"));
    }

    @Test
    void orders_uuids_by_version_first() {
        assertAscending(
                Scalar.UUID,
                Bytes.hex("ffffffff000010008000000000000000"),
                Bytes.hex("00000000000140008000000000000000"),
                Bytes.hex("00000000000240008000000000000000"));
    }

    @Test
    void orders_frozen_lists_by_elements_then_by_length() {
        assertAscending(
                new CqlType.Frozen(new CqlType.ListOf(Scalar.INT)),
                list(Bytes.ofInt(-1), Bytes.ofInt(9)),
                list(Bytes.ofInt(1)),
                list(Bytes.ofInt(1), Bytes.ofInt(0)));
    }

    @Test
    void orders_tuples_with_missing_and_null_fields_first() {
        CqlType pair = new CqlType.Tuple(List.of(Scalar.INT, Scalar.INT));

        assertAscending(pair, Bytes.hex("ffffffff"), Bytes.hex("0000000400000001"), tuple(1, 2), tuple(1, 3));
        assertThat(ValueOrder.of(pair).compare(Bytes.hex("0000000400000001ffffffff"), Bytes.hex("0000000400000001")))
                .isZero();
    }

    @ParameterizedTest
    @EnumSource
    void compares_any_bytes_of_a_scalar_without_failing(Scalar scalar) {
        Random random = new Random(7);
        for (int i = 0; i < 1000; i++) {
            Bytes a = randomBytes(random);
            Bytes b = randomBytes(random);

            assertThat(Integer.signum(ValueOrder.of(scalar).compare(a, b)))
                    .isEqualTo(-Integer.signum(ValueOrder.of(scalar).compare(b, a)));
        }
    }

    private static Bytes randomBytes(Random random) {
        byte[] bytes = new byte[random.nextInt(20)];
        random.nextBytes(bytes);
        return Bytes.wrap(bytes);
    }

    private static Bytes list(Bytes... elements) {
        GrowingBuffer out = new GrowingBuffer().putInt(elements.length);
        for (Bytes element : elements) {
            out.putInt(element.length()).put(element);
        }
        return out.toBytes();
    }

    private static Bytes tuple(int a, int b) {
        return new GrowingBuffer().putInt(4).putInt(a).putInt(4).putInt(b).toBytes();
    }
}
