package io.sluice.harness.cli;

import static io.sluice.tools.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.harness.fault.SmallDisk;
import io.sluice.tools.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A scenario with a small disk that is ended while it starts: no disk of it stays. */
@Tag("full")
@Timeout(300)
class LeftDisksTest {
    private static final String MARK = "left-behind";

    @TempDir
    private Path temporary = Path.of("");

    @BeforeEach
    void only_root_may_mount() {
        assumeTrue(SmallDisk.isPossible(), "only root on Linux may mount a small disk: not tested here");
    }

    @AfterEach
    void take_away() throws Exception {
        SmallDisk.removeBelow(temporary);
    }

    /** A run whose disk is mounted, which it may not know yet itself; a disk with a mark is that of another. */
    private Process starting() throws IOException, InterruptedException {
        Path said = temporary.resolve("said");
        Process process = JavaCommand.process(
                        List.of(),
                        Main.class,
                        "run",
                        Path.of("..", "conf", "scenarios", "disk-full.yaml"),
                        "--config",
                        Path.of("..", "conf", "sluice.yaml"),
                        "--work-dir",
                        temporary.resolve("work"))
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        await().failFast(() ->
                        assertThat(process.isAlive()).as("it runs: %s", said).isTrue())
                .until(this::isOwnMounted);
        return process;
    }

    /** Mounts are looked at again after the mark: one that is being taken away has none either. */
    private boolean isOwnMounted() throws IOException {
        List<Path> unmarked = disks().stream()
                .filter(disk -> !Files.exists(disk.resolve(MARK)))
                .toList();
        return disks().stream().anyMatch(unmarked::contains);
    }

    private List<Path> disks() throws IOException {
        Path below = temporary.toRealPath();
        return Files.readAllLines(Path.of("/proc/mounts")).stream()
                .map(line -> Path.of(line.split(" ", -1)[1]))
                .filter(place -> place.startsWith(below))
                .toList();
    }

    private static void terminate(Process process) throws InterruptedException {
        process.toHandle().destroy(); // SIGTERM
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void a_run_that_is_terminated_while_it_mounts_its_disk_takes_it_away() throws Exception {
        Process process = starting();

        terminate(process);

        assertThat(disks()).isEmpty();
    }

    @Test
    void the_disk_of_a_run_that_is_killed_is_taken_away_by_the_next_one() throws Exception {
        starting().destroyForcibly().waitFor();
        assertThat(disks()).hasSize(1);
        Files.createFile(disks().get(0).resolve(MARK));

        Process next = starting();
        assertThat(disks()).hasSize(1); // its own
        terminate(next);

        assertThat(disks()).isEmpty();
    }
}
