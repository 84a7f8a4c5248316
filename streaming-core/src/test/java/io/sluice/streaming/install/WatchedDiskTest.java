package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchedDiskTest {
    @TempDir
    Path temp;

    @Test
    void an_interrupted_sync_says_so_and_is_no_failure_of_the_device() throws IOException {
        WatchedDisk disk = new WatchedDisk(new FileSystemDisk(), temp, () -> false, why -> {});
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> disk.syncDirectory(temp))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("sync the names in " + temp + ": the thread was interrupted");
        } finally {
            Thread.interrupted();
        }

        assertThat(disk.untrustedReason()).isEmpty();
        disk.syncDirectory(temp);
    }
}
