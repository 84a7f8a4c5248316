package io.sluice.sstable.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.Token;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

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

    @Test
    void gives_the_empty_key_the_minimum() {
        assertThat(Murmur3.tokenOf(new byte[0])).isEqualTo(Token.MINIMUM);
    }
}
