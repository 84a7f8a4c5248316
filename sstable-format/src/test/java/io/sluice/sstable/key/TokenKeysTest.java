package io.sluice.sstable.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.token.Token;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TokenKeysTest {
    @Test
    void makes_a_key_of_any_length_for_any_token() {
        Random random = new Random(1);

        for (int i = 0; i < 2000; i++) {
            int length = TokenKeys.MIN_LENGTH_BYTES + random.nextInt(i % 10 == 0 ? 65_000 : 200);
            Token token = new Token(random.nextLong());

            PartitionKey key = TokenKeys.of(token, length);

            assertThat(key.token()).isEqualTo(token);
            assertThat(key.bytes().length()).isEqualTo(length);
        }
    }

    @Test
    void finds_text_in_a_stretch_of_the_ring() {
        Random random = new Random(2);

        for (int i = 0; i < 200; i++) {
            long start = random.nextLong() / 2;
            long end = start + (Long.MAX_VALUE >>> 12);
            int length = TokenKeys.MIN_LENGTH_BYTES + random.nextInt(5000);

            PartitionKey key = TokenKeys.text(new Token(start), new Token(end), length, 1 << 17)
                    .orElseThrow();

            assertThat(key.token().value()).isBetween(start + 1, end - 1);
            assertThat(key.bytes().utf8()).hasSize(length).isPrintable();
        }
    }

    @Test
    void spells_numbers_in_hex_from_the_lowest_digit_on() {
        Random random = new Random(3);

        for (int i = 0; i < 1000; i++) {
            int number = random.nextInt();
            byte[] digits = ByteBuffer.allocate(8)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(TokenKeys.hexDigits(number))
                    .array();

            assertThat(new String(digits, StandardCharsets.US_ASCII))
                    .isEqualTo(new StringBuilder("%08x".formatted(number))
                            .reverse()
                            .toString());
        }
    }

    @Test
    void gives_up_where_no_candidate_lies() {
        assertThat(TokenKeys.text(new Token(5), new Token(100), 20, 1000)).isEmpty();
    }

    @Test
    void makes_keys_at_the_ends() {
        assertThat(TokenKeys.of(new Token(Long.MAX_VALUE), 16).token().value()).isEqualTo(Long.MAX_VALUE);
        assertThat(TokenKeys.of(new Token(Long.MIN_VALUE + 1), 65_535).token().value())
                .isEqualTo(Long.MIN_VALUE + 1);
        assertThatThrownBy(() -> TokenKeys.of(Token.MINIMUM, 16)).hasMessageContaining("token");
        assertThatThrownBy(() -> TokenKeys.of(new Token(1), 15)).hasMessageContaining("16 to 65535");
    }
}
