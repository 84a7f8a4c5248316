package io.sluice.harness.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disks that must not stay when a run is over, or was killed. */
class SmallDisksTest {
    private static final long BYTES = 1 << 20;

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

    private static boolean isMounted(Path folder) throws IOException {
        return !Files.getFileStore(folder)
                .equals(Files.getFileStore(folder.resolve("..").normalize()));
    }

    @Test
    void a_closed_run_has_no_disk_and_gets_none() throws Exception {
        Path folder = temporary.resolve("node1/data");
        SmallDisks disks = new SmallDisks();
        disks.mount("node1", folder, BYTES);
        assertThat(isMounted(folder)).isTrue();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
                .isEqualTo("rwx------");

        disks.close();

        assertThat(isMounted(folder)).isFalse();
        assertThatThrownBy(() -> disks.mount("node2", temporary.resolve("node2/data"), BYTES))
                .hasMessageContaining("the run has ended");
    }

    @Test
    void a_process_with_mounts_of_its_own_does_not_see_that_its_disk_is_lost() throws Exception {
        Path folder = Files.createDirectories(temporary.resolve("node1/data"));
        Process own = new ProcessBuilder("unshare", "-m", "--propagation", "private", "cat").start();
        Process shared = new ProcessBuilder("cat").start();
        try {
            own.getOutputStream().write('\n');
            own.getOutputStream().flush();
            assertThat(own.getInputStream().read()).as("it has begun").isEqualTo('\n');
            try (SmallDisk cover = SmallDisk.cover(folder)) {
                assertThat(cover.isSeenBy(own.toHandle())).isFalse();
                assertThat(cover.isSeenBy(shared.toHandle())).isTrue();
            }
        } finally {
            own.destroy();
            shared.destroy();
        }
    }

    @Test
    void a_disk_that_is_still_in_use_goes_all_the_same() throws Exception {
        Path folder = temporary.resolve("node1/data");
        SmallDisks disks = new SmallDisks();
        disks.mount("node1", folder, BYTES);

        try (var open = Files.newOutputStream(folder.resolve("open"))) {
            open.write(1);
            disks.close();
        }

        assertThat(isMounted(folder)).isFalse();
    }

    @Test
    void a_disk_whose_mount_is_interrupted_does_not_stay() throws Exception {
        Path folder = temporary.resolve("node1/data");
        Thread.currentThread().interrupt(); // heard when the command has done its work

        assertThatThrownBy(() -> SmallDisk.mount(folder, BYTES)).isInstanceOf(InterruptedException.class);

        assertThat(isMounted(folder)).isFalse();
    }

    @Test
    void what_a_killed_run_left_is_taken_away_by_the_next_one_in_the_same_folder() throws Exception {
        Path work = Files.createDirectories(temporary.resolve("a folder of mine"));
        Path link = Files.createSymbolicLink(temporary.resolve("link"), work);
        SmallDisk.mount(work.resolve("node1/data"), BYTES);
        SmallDisk.mount(work.resolve("node1/data"), BYTES);
        SmallDisk.mount(work.resolve("node4/data"), BYTES);

        SmallDisk.removeBelow(link);

        assertThat(isMounted(work.resolve("node1/data"))).isFalse();
        assertThat(isMounted(work.resolve("node4/data"))).isFalse();
    }
}
