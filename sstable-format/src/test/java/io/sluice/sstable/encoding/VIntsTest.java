package io.sluice.sstable.encoding;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VIntsTest {
    @ParameterizedTest
    @CsvSource({
        "0, 00",
        "127, 7f",
        "128, 8080",
        "16383, bfff",
        "16384, c04000",
        "562949953421311, fdffffffffffff",
        "72057594037927935, feffffffffffffff",
        "72057594037927936, ff0100000000000000",
        "-9223372036854775808, ff8000000000000000",
        "-1, ffffffffffffffffff"
    })
    void writes_the_shortest_form_and_reads_it_back(long value, String hex) {
        ByteBuffer buffer = ByteBuffer.allocate(VInts.MAX_LENGTH_BYTES);

        VInts.writeUnsigned(value, buffer);

        assertThat(HexFormat.of().formatHex(buffer.array(), 0, buffer.position()))
                .isEqualTo(hex);
        assertThat(VInts.lengthOfUnsigned(value)).isEqualTo(buffer.position());
        assertThat(VInts.readUnsigned(buffer.flip())).isEqualTo(value);
    }

    @Test
    void reads_back_signed_numbers_of_every_length() {
        Random random = new Random(3);
        ByteBuffer buffer = ByteBuffer.allocate(VInts.MAX_LENGTH_BYTES);
        for (int shift = 0; shift < 64; shift++) {
            long value = random.nextLong() >> shift;

            VInts.writeUnsigned((value << 1) ^ (value >> 63), buffer.clear()); // zigzag

            assertThat(VInts.readSigned(buffer.flip())).isEqualTo(value);
        }
    }
}
