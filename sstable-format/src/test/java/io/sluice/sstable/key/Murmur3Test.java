package io.sluice.sstable.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.Token;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Murmur3Test {
    @Test
    void gives_the_tokens_that_cassandra_gives() {
        // SELECT token(k): values of a live 5.0 node, also found in the fixtures' order of partitions.
        assertThat(Murmur3.tokenOf(ByteBuffer.allocate(4).putInt(1).array()))
                .isEqualTo(new Token(-4069959284402364209L));
        assertThat(Murmur3.tokenOf(ByteBuffer.allocate(4).putInt(2).array()))
                .isEqualTo(new Token(-3248873570005575792L));
        assertThat(Murmur3.tokenOf(ByteBuffer.allocate(4).putInt(3).array()))
                .isEqualTo(new Token(9010454139840013625L));
    }

    @Test
    void widens_tail_bytes_with_their_sign() {
        byte[] ascii = "tail".getBytes(StandardCharsets.UTF_8);
        byte[] high = {(byte) 0x80};

        assertThat(Murmur3.of(ascii)).isEqualTo(Murmur3.of(ascii, 0, 4));
        assertThat(Murmur3.of(high)).isNotEqualTo(Murmur3.of(new byte[] {0}));
    }

    @ParameterizedTest
    @ValueSource(ints = {0x7f, 0x80, 0xff})
    void depends_on_no_byte_beside_the_key(int greatest) {
        var random = new Random(1);
        for (int length = 0; length <= 40; length++) {
            byte[] around = new byte[64];
            random.nextBytes(around);
            int start = random.nextInt(64 - length + 1);
            for (int i = start; i < start + length; i++) {
                around[i] = (byte) (greatest == 0xff ? random.nextInt() : random.nextInt(0x80));
            }
            if (length > 0 && greatest == 0x80) {
                around[start + length - 1] = (byte) 0x80;
            }
            byte[] key = Arrays.copyOfRange(around, start, start + length);

            assertThat(Murmur3.of(around, start, length)).as("%d bytes", length).isEqualTo(Murmur3.of(key));
        }
    }

    @Test
    void gives_the_empty_key_the_minimum() {
        assertThat(Murmur3.tokenOf(new byte[0])).isEqualTo(Token.MINIMUM);
    }
}
