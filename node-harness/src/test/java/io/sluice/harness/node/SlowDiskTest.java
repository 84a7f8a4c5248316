package io.sluice.harness.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.FileSystemDisk;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlowDiskTest {
    private static final int LENGTH_BYTES = 128 << 10;

    @TempDir
    private Path folder = Path.of("");

    private final SlowDisk disk = new SlowDisk(new FileSystemDisk());

    private Duration write(Path path) throws Exception {
        long began = System.nanoTime();
        try (DiskFile file = disk.create(path)) {
            file.writeFully(ByteBuffer.allocate(LENGTH_BYTES), 0);
            file.sync();
        }
        return Duration.ofNanos(System.nanoTime() - began);
    }

    @Test
    void a_slow_disk_takes_no_more_than_its_rate_and_loses_nothing() throws Exception {
        disk.setRate(4 * LENGTH_BYTES);

        Duration took = write(folder.resolve("a"));

        assertThat(took).isGreaterThanOrEqualTo(Duration.ofMillis(249));
        assertThat(Files.size(folder.resolve("a"))).isEqualTo(LENGTH_BYTES);
    }

    @Test
    void a_limit_that_is_taken_away_is_forgotten_at_once() throws Exception {
        disk.setRate(1);
        disk.setRate(0);

        write(folder.resolve("a")); // by the first limit this would take a day and a half

        assertThat(Files.size(folder.resolve("a"))).isEqualTo(LENGTH_BYTES);
    }
}
