package io.sluice.harness.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class OrphanedProcessesTest {
    @TempDir
    private Path work = Path.of("");

    private final Process node = start();

    private static Process start() {
        try {
            return new ProcessBuilder("sleep", "600").start();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @BeforeEach
    void makeHome() throws IOException {
        Files.createDirectories(work.resolve("node1"));
    }

    @AfterEach
    void killNode() {
        node.destroyForcibly();
    }

    @Test
    void a_frozen_node_of_a_killed_run_is_ended() throws Exception {
        OrphanedProcesses.note(new NodeHome(work.resolve("node1")), node.toHandle());
        new ProcessBuilder("kill", "-STOP", Long.toString(node.pid())).start().waitFor();

        OrphanedProcesses.end(work);

        assertThat(node.isAlive()).isFalse();
        assertThat(work.resolve("node1")).isEmptyDirectory();
    }

    @Test
    void another_process_that_got_the_same_number_is_left_alone() throws Exception {
        Files.write(
                work.resolve("node1").resolve("process"), List.of(Long.toString(node.pid()), "2001-01-01T00:00:00Z"));

        OrphanedProcesses.end(work);

        assertThat(node.isAlive()).isTrue();
    }

    @Test
    void half_of_a_note_harms_nobody() throws Exception {
        Files.writeString(work.resolve("node1").resolve("process"), "1x");

        OrphanedProcesses.end(work);

        assertThat(work.resolve("node1")).isEmptyDirectory();
    }
}
