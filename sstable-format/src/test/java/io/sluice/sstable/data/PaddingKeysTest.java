package io.sluice.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.CqlType.Scalar;
import io.sluice.sstable.type.WellFormed;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PaddingKeysTest {
    private static final long INTERVAL = 1L << 52;
    private static final long TRIES = 1 << 17;

    private static PartitionKey key(CqlType type, Token start, long interval) {
        Token end = new Token(start.value() + interval);
        PartitionKey key = PaddingKeys.between(start, end, type, TRIES).orElseThrow();
        assertThat(key.token().value()).isBetween(start.value() + 1, end.value() - 1);
        return key;
    }

    @ParameterizedTest
    @EnumSource(
            value = Scalar.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"BOOLEAN", "TINYINT", "SMALLINT", "EMPTY", "COUNTER", "DURATION"})
    void finds_keys_that_are_well_formed(Scalar type) {
        Random random = new Random(1);

        for (int i = 0; i < 20; i++) {
            Bytes key = key(type, new Token(random.nextLong() / 2), INTERVAL).bytes();

            switch (type) {
                case TIMEUUID -> {
                    UUID uuid =
                            new UUID(key.asBuffer().getLong(0), key.asBuffer().getLong(8));
                    assertThat(List.of(uuid.version(), uuid.variant())).containsExactly(1, 2);
                }
                case TIME -> assertThat(key.asBuffer().getLong()).isBetween(0L, 86_399_999_999_999L);
                case TEXT, ASCII ->
                    assertThat(key.utf8()).startsWith("no row is here").isPrintable();
                case BLOB, VARINT -> assertThat(key.length()).isGreaterThan(4);
                case DECIMAL -> {
                    assertThat(key.asBuffer().getInt()).as("scale").isZero();
                    assertThat(key.length()).isEqualTo(12);
                }
                default ->
                    assertThat(key.length())
                            .isEqualTo(WellFormed.valueOf(type).orElseThrow().length());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Scalar.class,
            names = {"BLOB", "UUID", "LEXICAL_UUID"})
    void finds_the_only_token_that_is_left_where_all_bytes_are_keys(Scalar type) {
        for (long start : List.of(Long.MIN_VALUE, -1L, 77L, Long.MAX_VALUE - 2)) {
            assertThat(key(type, new Token(start), 2).token().value()).isEqualTo(start + 1);
        }
    }

    @Test
    void finds_composite_keys_by_their_first_part_that_has_many_values() {
        CqlType type = new CqlType.Composite(List.of(Scalar.BOOLEAN, Scalar.TEXT, Scalar.BIGINT, Scalar.BLOB));

        ByteBuffer key = key(type, new Token(5), INTERVAL).bytes().asBuffer();

        assertThat(part(key).length()).isEqualTo(1);
        assertThat(part(key).utf8()).startsWith("no row is here: ").hasSize(24);
        assertThat(part(key).length()).isEqualTo(8);
        assertThat(part(key).length()).isEqualTo(0);
        assertThat(key.hasRemaining()).isFalse();
        assertThat(key(new CqlType.Composite(List.of(Scalar.INT, Scalar.UUID)), new Token(5), INTERVAL)
                        .bytes()
                        .length())
                .isEqualTo(4 + 16 + 6);
    }

    private static Bytes part(ByteBuffer key) {
        byte[] part = new byte[key.getShort()];
        key.get(part);
        assertThat(key.get()).isZero();
        return Bytes.wrap(part);
    }

    @Test
    void gives_up_where_there_are_too_few_keys_or_too_few_tries() {
        Token start = new Token(5);
        Token near = new Token(1000);
        Token far = new Token(INTERVAL);

        assertThat(PaddingKeys.between(start, far, Scalar.SMALLINT, TRIES)).isEmpty();
        assertThat(PaddingKeys.between(start, far, new CqlType.Composite(List.of(Scalar.BOOLEAN)), TRIES))
                .isEmpty();
        assertThat(PaddingKeys.between(start, far, new CqlType.ListOf(Scalar.INT), TRIES))
                .isEmpty();
        assertThat(PaddingKeys.between(start, far, Scalar.BIGINT, 100)).isEmpty();
        assertThat(PaddingKeys.between(start, near, Scalar.BIGINT, TRIES)).isEmpty();
        assertThat(PaddingKeys.between(start, new Token(6), Scalar.UUID, TRIES)).isEmpty();
        assertThat(PaddingKeys.between(start, Token.MINIMUM, Scalar.UUID, TRIES))
                .isEmpty();
    }
}
