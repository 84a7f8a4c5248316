package io.sluice.sstable.component;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Crc32CombinationTest {

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 4, 255, 256, 4096, 65_535, 1_000_003})
    void equals_the_checksum_of_both_runs_together(int secondLength) {
        var random = new Random(secondLength);
        byte[] first = new byte[777];
        byte[] second = new byte[secondLength];
        random.nextBytes(first);
        random.nextBytes(second);

        requireTheSame(first, second);
    }

    @Test
    void the_first_run_may_have_a_checksum_of_zero() {
        byte[] first = {(byte) 0x9d, 0x0a, (byte) 0xd9, 0x6d};
        assertThat(crcOf(first)).isZero();

        requireTheSame(first, new byte[] {1, 2, 3});
    }

    private static void requireTheSame(byte[] first, byte[] second) {
        var whole = new CRC32();
        whole.update(first);
        whole.update(second);
        assertThat(Crc32Combination.combine(crcOf(first), crcOf(second), second.length))
                .isEqualTo(whole.getValue());
    }

    @Test
    void combines_runs_longer_than_two_gibibytes() {
        var zeros = new byte[1 << 20];
        var whole = new CRC32();
        whole.update(1);
        long combined = whole.getValue();
        for (int i = 0; i < 2049; i++) {
            whole.update(zeros);
        }
        long run = 0;
        for (int i = 0; i < 2049; i++) {
            run = Crc32Combination.combine(run, crcOf(zeros), zeros.length);
        }

        assertThat(Crc32Combination.combine(combined, run, 2049L << 20)).isEqualTo(whole.getValue());
    }

    private static long crcOf(byte[] bytes) {
        var crc = new CRC32();
        crc.update(bytes);
        return crc.getValue();
    }
}
