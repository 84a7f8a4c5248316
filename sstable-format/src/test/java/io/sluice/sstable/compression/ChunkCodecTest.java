package io.sluice.sstable.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.SSTableException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ChunkCodecTest {
    private static final int LENGTH = 4096;

    @ParameterizedTest
    @EnumSource(Compressor.class)
    void restores_chunks_of_any_length(Compressor compressor) throws SSTableException {
        ChunkCodec codec = codec(compressor);
        for (int length : new int[] {1, 2, 100, 4095, LENGTH}) {
            byte[] plain = plain(length);
            byte[] stored = compressed(codec, plain);
            var again = new byte[length];

            codec.decompress(stored, stored.length, again, 0, length);

            assertThat(again).isEqualTo(plain);
        }
    }

    @ParameterizedTest
    @EnumSource(Compressor.class)
    void refuses_a_chunk_of_another_length(Compressor compressor) {
        ChunkCodec codec = codec(compressor);
        byte[] stored = compressed(codec, plain(LENGTH));

        for (int expected : new int[] {1, LENGTH - 1, LENGTH + 1, 2 * LENGTH}) {
            assertThatThrownBy(() -> codec.decompress(stored, stored.length, new byte[expected], 0, expected))
                    .as("expecting %d", expected)
                    .isInstanceOf(SSTableException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(Compressor.class)
    void survives_any_stored_bytes(Compressor compressor) {
        ChunkCodec codec = codec(compressor);
        byte[] stored = compressed(codec, plain(LENGTH));
        var random = new Random(2);

        for (int round = 0; round < 5_000; round++) {
            byte[] damaged = Arrays.copyOf(stored, 1 + random.nextInt(stored.length));
            for (int i = random.nextInt(4); i >= 0; i--) {
                damaged[random.nextInt(Math.min(damaged.length, 40))] = (byte) random.nextInt();
            }
            try {
                codec.decompress(damaged, damaged.length, new byte[LENGTH], 0, LENGTH);
            } catch (SSTableException expected) {
                assertThat(expected).hasMessageNotContaining("null");
            }
        }
    }

    private static ChunkCodec codec(Compressor compressor) {
        return ChunkCodec.of(CompressionParameters.of(compressor, LENGTH));
    }

    private static byte[] compressed(ChunkCodec codec, byte[] plain) {
        var stored = new byte[codec.maxCompressedLengthBytes(plain.length)];
        return Arrays.copyOf(stored, codec.compress(plain, plain.length, stored));
    }

    private static byte[] plain(int length) {
        var plain = new byte[length];
        new Random(length).nextBytes(plain);
        Arrays.fill(plain, length / 2, length, (byte) 'a');
        return plain;
    }
}
