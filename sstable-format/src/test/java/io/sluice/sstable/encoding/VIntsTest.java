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
        "-9223372036854775808, ff8000000000000000",
        "-1, ffffffffffffffffff"
    })
    void writes_the_known_forms(long value, String hex) {
        ByteBuffer out = ByteBuffer.allocate(9);

        VInts.writeUnsigned(value, out);

        assertThat(HexFormat.of().formatHex(out.array(), 0, out.position())).isEqualTo(hex);
        assertThat(VInts.lengthOfUnsigned(value)).isEqualTo(out.position());
    }

    @Test
    void reads_what_it_wrote() {
        Random random = new Random(7);
        for (int round = 0; round < 100_000; round++) {
            long value = random.nextLong() >> random.nextInt(64);
            ByteBuffer out = ByteBuffer.allocate(18);
            VInts.writeUnsigned(value, out);
            VInts.writeSigned(value, out);
            out.flip();

            assertThat(VInts.readUnsigned(out)).isEqualTo(value);
            assertThat(VInts.readSigned(out)).isEqualTo(value);
            assertThat(out.hasRemaining()).isFalse();
        }
    }
}
