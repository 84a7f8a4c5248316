package io.sluice.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** The file whose zeros take the free memory. */
@EnabledOnOs(OS.LINUX)
class FullPageCacheTest {
    private static final long TAKEN_BYTES = 256 << 20;

    @TempDir
    Path folder;

    /** Temporary files may be in memory. */
    @TempDir(factory = OnDisk.class)
    Path onDisk;

    private static final class OnDisk implements TempDirFactory {
        @Override
        public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context) throws IOException {
            return Files.createTempDirectory(Path.of("target"), "page-cache");
        }
    }

    @Test
    void it_takes_what_is_free_and_gives_it_back() throws IOException {
        long free = FullPageCache.freeBytes();

        try (FullPageCache cache = FullPageCache.in(onDisk, free - TAKEN_BYTES)) {
            cache.fill();

            assertThat(files()).hasSize(1);
            assertThat(FullPageCache.freeBytes()).isLessThan(free);
        }

        assertThat(files()).isEmpty();
    }

    @Test
    void it_takes_nothing_where_less_is_free_than_is_to_stay_free() throws IOException {
        try (FullPageCache cache = FullPageCache.in(folder, Long.MAX_VALUE)) {
            assertThat(cache.fill()).isZero();
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(onDisk)) {
            return files.toList();
        }
    }
}
