package io.sluice.sstable.compression;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IncrementalChecksumsTest {
    private static final int PIECE = 1 << 16;

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /** In pieces of all lengths, over the edges of those that are summed. */
    private static IncrementalChecksums passed(byte[] bytes) {
        IncrementalChecksums sums = new IncrementalChecksums();
        int at = 0;
        for (int count = 1; at < bytes.length; count = 2 * count + 1) {
            int length = Math.min(count, bytes.length - at);
            if (length == 1) {
                sums.update(bytes[at]);
            } else {
                sums.update(ByteBuffer.wrap(bytes, at, length));
            }
            at += length;
        }
        return sums;
    }

    private static Path crcFile(Path folder, byte[] bytes, int pieceBytes) throws IOException {
        int count = (bytes.length + pieceBytes - 1) / pieceBytes;
        ByteBuffer table = ByteBuffer.allocate((1 + count) * Integer.BYTES).putInt(pieceBytes);
        for (int at = 0; at < bytes.length; at += pieceBytes) {
            table.putInt((int) crc(bytes, at, Math.min(pieceBytes, bytes.length - at)));
        }
        return Files.write(folder.resolve("CRC.db"), table.array());
    }

    private static long crc(byte[] bytes, int offset, int length) {
        CRC32 crc = new CRC32();
        crc.update(bytes, offset, length);
        return crc.getValue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 300 * PIECE + 7})
    void all_and_each_piece_are_summed(int length, @TempDir Path folder) throws IOException {
        byte[] bytes = random(length);
        IncrementalChecksums sums = passed(bytes);

        assertThat(sums.getValue()).isEqualTo(crc(bytes, 0, length));
        assertThat(sums.lengthBytes()).isEqualTo(length);
        assertThat(sums.agreeWith(crcFile(folder, bytes, PIECE))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, PIECE, 3 * PIECE - 1, 3 * PIECE})
    void a_flipped_byte_is_found(int position, @TempDir Path folder) throws IOException {
        byte[] bytes = random(3 * PIECE + 5);
        Path table = crcFile(folder, bytes, PIECE);
        bytes[position] ^= 1;

        assertThat(passed(bytes).agreeWith(table)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {PIECE / 2, 2 * PIECE})
    void pieces_of_another_length_say_nothing(int pieceBytes, @TempDir Path folder) throws IOException {
        byte[] bytes = random(4 * PIECE);

        assertThat(passed(bytes).agreeWith(crcFile(folder, bytes, pieceBytes))).isFalse();
    }
}
