package io.sluice.sstable.encoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Within one process; {@code FileSystemDiskTest} of streaming-core has others. */
class LockedFileTest {
    @TempDir
    private Path folder = Path.of("");

    private Path file = folder;

    @BeforeEach
    void name() {
        file = folder.resolve("lock");
    }

    private LockedFile locked() throws IOException {
        return LockedFile.of(file).orElseThrow();
    }

    @Test
    void keeps_its_content() throws IOException {
        try (LockedFile first = locked()) {
            first.channel().write(ByteBuffer.allocate(3));
        }

        try (LockedFile second = locked()) {
            assertThat(second.channel().size()).isEqualTo(3);
            assertThat(OwnerOnly.isPrivate(file)).isTrue();
        }
    }

    @Test
    void who_has_removed_it_removes_none_of_the_next_holder() throws IOException {
        LockedFile first = locked();
        first.remove();
        assertThat(file).doesNotExist();

        try (LockedFile second = locked()) {
            first.remove();
            first.close();

            assertThat(second.channel().isOpen()).isTrue();
            assertThat(file).exists();
            assertThat(LockedFile.of(file)).isEmpty();
        }
    }

    @Test
    void is_free_although_it_cannot_be_removed() throws IOException {
        LockedFile first = locked();
        Files.delete(file);
        Path within = Files.createDirectories(file.resolve("within"));

        assertThatThrownBy(first::remove).isInstanceOf(DirectoryNotEmptyException.class);

        Files.delete(within);
        Files.delete(file);
        locked().close();
    }

    @Test
    void is_not_taken_from_other_code_of_this_process() throws IOException {
        try (FileChannel other = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            assertThat(other.lock().isValid()).isTrue();

            assertThat(LockedFile.of(file)).isEmpty();
        }
        locked().close();
    }
}
