package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSystemDiskTest {
    private final FileSystemDisk disk = new FileSystemDisk();

    @TempDir
    Path temp;

    @Test
    void says_how_large_a_volume_is() throws IOException {
        assertThat(disk.volumeBytes(temp)).isEqualTo(Files.getFileStore(temp).getTotalSpace());
        assertThat(disk.usableBytes(temp)).isBetween(1L, disk.volumeBytes(temp));
    }

    @Test
    void a_folder_that_is_not_there_is_no_full_disk() {
        Path missing = temp.resolve("missing");

        assertThatThrownBy(() -> disk.usableBytes(missing)).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> disk.volumeBytes(missing)).isInstanceOf(NoSuchFileException.class);
    }

    private static void assertInUse(ThrowingCallable lock) {
        assertThatThrownBy(lock)
                .isInstanceOf(DirectoryInUseException.class)
                .hasMessageContaining("in use by another process, or another node of this process");
    }

    @Test
    void who_is_refused_a_lock_in_this_process_takes_it_from_nobody() throws Exception {
        Path file = temp.resolve("lock");
        Path link = Files.createSymbolicLink(temp.resolve("link"), temp);
        try (Closeable held = disk.lock(file)) {
            assertThat(held).isNotNull();

            assertInUse(() -> disk.lock(file));
            assertInUse(() -> new FileSystemDisk().lock(link.resolve("lock")));

            List<String> other = JavaCommand.words(List.of(), LockingProcess.class.getName(), file);
            assertThat(StartedProcess.run(other)).contains(LockingProcess.REFUSED);
        }
    }

    @Test
    void a_lock_is_free_after_its_close_and_a_second_close_takes_it_from_nobody() throws IOException {
        Closeable first = disk.lock(temp.resolve("lock"));
        first.close();
        try (Closeable second = disk.lock(temp.resolve("lock"))) {
            assertThat(second).isNotNull();

            first.close();

            assertInUse(() -> disk.lock(temp.resolve("lock")));
        }
    }

    @Test
    void a_file_that_cannot_be_locked_can_be_tried_again() throws IOException {
        Path file = Files.createDirectory(temp.resolve("lock"));
        assertThatThrownBy(() -> disk.lock(file)).isNotInstanceOf(DirectoryInUseException.class);
        Files.delete(file);

        disk.lock(file).close();
    }
}
