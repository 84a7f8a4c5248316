package io.sluice.harness.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
@Tag("full")
class DdPageCacheTest {
    private static final int LENGTH_BYTES = 4 << 20;

    @Test
    void a_file_leaves_memory(@TempDir Path folder) throws Exception {
        assumeThat(Files.getFileStore(folder).type())
                .as("what it has is memory alone")
                .isNotEqualTo("tmpfs");
        Path file = folder.resolve("nb-1-big-Data.db");
        Files.write(file, new byte[LENGTH_BYTES]);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        assertThat(bytesInMemory(file)).isEqualTo(LENGTH_BYTES);

        new DdPageCache().drop(file);

        assertThat(bytesInMemory(file)).isZero();
    }

    @Test
    void a_file_that_is_gone_disturbs_nobody(@TempDir Path folder) {
        new DdPageCache().drop(folder.resolve("gone"));

        assertThat(folder).isEmptyDirectory();
    }

    /** As util-linux tells. */
    private static long bytesInMemory(Path file) throws IOException, InterruptedException {
        Process fincore =
                new ProcessBuilder("fincore", "--bytes", "--noheadings", "--output", "RES", file.toString()).start();
        String said = new String(fincore.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(fincore.waitFor(10, TimeUnit.SECONDS)).isTrue();
        return Long.parseLong(said.strip());
    }
}
