package io.sluice.netty.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EncryptedRegionTest {
    @TempDir
    Path temp;

    private Path file(int length) throws Exception {
        byte[] bytes = new byte[length];
        new Random(1).nextBytes(bytes);
        return Files.write(temp.resolve("Data.db"), bytes);
    }

    @Test
    void a_region_comes_in_pieces_and_nothing_else_of_the_file() throws Exception {
        Path file = file(1_000_000);
        ByteBuffer read = ByteBuffer.allocate(600_000);
        EncryptedRegion region = new EncryptedRegion(file, 1_234, 500_000);

        while (!region.isAtEnd()) {
            ByteBuffer piece = ByteBuffer.allocate(3_000);
            region.read(piece);
            read.put(piece.flip());
        }

        assertThat(Arrays.copyOf(read.array(), read.position()))
                .isEqualTo(Arrays.copyOfRange(Files.readAllBytes(file), 1_234, 501_234));
    }

    @Test
    void a_file_that_was_cut_since_it_was_pinned_is_told() throws Exception {
        Path file = file(1_000);
        EncryptedRegion region = new EncryptedRegion(file, 900, 200);

        assertThatThrownBy(() -> region.read(ByteBuffer.allocate(300)))
                .isInstanceOf(EOFException.class)
                .hasMessage(
                        "end of file at 1000 (expected: 100 bytes more; the file was truncated after it was pinned)");
        region.close();
    }
}
