package io.sluice.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
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
    void it_reads_until_little_is_free_and_leaves_nothing() throws IOException {
        AtomicLong free = new AtomicLong(FullPageCache.LEAST_FREE_BYTES);

        try (FullPageCache cache = FullPageCache.in(onDisk, free::getAndDecrement)) {
            assertThat(files()).hasSize(1);
            assertThat(cache.fill()).isZero();
            free.set(FullPageCache.LEAST_FREE_BYTES + 3);
            assertThat(cache.fill()).isEqualTo(3L * FullPageCache.PIECE_BYTES);
        }

        assertThat(files()).isEmpty();
    }

    @Test
    void it_leaves_nothing_if_it_cannot_see_what_is_free() throws IOException {
        assertThatThrownBy(() -> FullPageCache.in(onDisk, () -> {
                    throw new IOException("no line of MemFree");
                }))
                .isInstanceOf(IOException.class);

        assertThat(files()).isEmpty();
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(onDisk)) {
            return files.toList();
        }
    }
}
