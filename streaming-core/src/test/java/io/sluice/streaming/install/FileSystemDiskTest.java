package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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
}
