package io.sluice.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FreeMemoryTest {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final long MORE_THAN_THE_TEST_SEES = 4L << 30;

    @TempDir
    private Path folder = Path.of("");

    @Test
    void nothing_is_left_by_a_process_that_is_killed_meanwhile() throws Exception {
        assumeThat(DESCRIPTORS).isDirectory();
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread fetching = new Thread(() -> {
            try {
                FreeMemory.fetch(folder, MORE_THAN_THE_TEST_SEES);
                interrupted.complete(false);
            } catch (ClosedByInterruptException e) {
                interrupted.complete(true);
            } catch (IOException e) {
                interrupted.completeExceptionally(e);
            }
        });
        List<Path> named;
        fetching.start();
        try {
            while (fetching.isAlive() && written().isEmpty()) {
                Thread.onSpinWait();
            }
            try (Stream<Path> files = Files.list(folder)) {
                named = files.toList();
            }
        } finally {
            fetching.interrupt();
            fetching.join();
        }

        assertThat(interrupted.get()).as("it was seen while it wrote").isTrue();
        assertThat(named).isEmpty();
    }

    /** An open file of the folder that has bytes, with a name or without. */
    private Optional<Path> written() throws IOException {
        try (Stream<Path> open = Files.list(DESCRIPTORS)) {
            for (Path descriptor : open.toList()) {
                if (Files.isRegularFile(descriptor)
                        && Files.readSymbolicLink(descriptor).startsWith(folder)
                        && Files.size(descriptor) > 0) {
                    return Optional.of(descriptor);
                }
            }
        }
        return Optional.empty();
    }
}
