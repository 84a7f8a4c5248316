package io.sluice.sstable.component;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class Crc32OfPartsTest {
    static Stream<List<Integer>> lengths() {
        return Stream.of(
                List.of(),
                List.of(0),
                List.of(0, 5, 0, 0, 7, 0),
                List.of(64, 64, 64, 1),
                List.of(41, 23, 41, 23, 41, 23), // in turns, as the pieces of two rows of chunks
                List.of(41, 23, 0, 41, 23, 0, 41),
                List.of(1, 2, 3, 1, 2, 3, 3, 2, 1),
                new Random(1).ints(200, 0, 6).boxed().toList());
    }

    @ParameterizedTest
    @MethodSource("lengths")
    void equals_the_checksum_of_all_parts_together(List<Integer> lengths) {
        byte[] bytes = new byte[lengths.stream().mapToInt(Integer::intValue).sum()];
        new Random(7).nextBytes(bytes);
        Crc32OfParts parts = new Crc32OfParts();

        append(lengths, bytes, parts);

        assertThat(parts.value()).isEqualTo(crcOf(bytes, 0, bytes.length));
        assertThat(parts.lengthBytes()).isEqualTo(bytes.length);
    }

    @Test
    void begins_again_after_a_reset() {
        byte[] bytes = {1, 2, 3, 4, 5, 6};
        Crc32OfParts parts = new Crc32OfParts();
        append(List.of(4, 2), bytes, parts);

        parts.reset();
        append(List.of(2, 4), bytes, parts);

        assertThat(parts.value()).isEqualTo(crcOf(bytes, 0, bytes.length));
    }

    private static void append(List<Integer> lengths, byte[] bytes, Crc32OfParts parts) {
        int[] at = {0};
        IntStream.range(0, lengths.size()).forEach(i -> {
            parts.append(crcOf(bytes, at[0], lengths.get(i)), lengths.get(i));
            at[0] += lengths.get(i);
        });
    }

    private static int crcOf(byte[] bytes, int from, int length) {
        var crc = new CRC32();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }
}
