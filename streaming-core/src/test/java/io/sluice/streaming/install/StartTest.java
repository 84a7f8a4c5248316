package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.streaming.store.TableStore.RecoveryReport;
import io.sluice.streaming.store.TableStore.RecoveryReport.Decision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether a node starts, and what becomes live, with directories and disks that are not as they were. */
class StartTest {
    @TempDir
    Path temp;

    private RecordingStore store;

    @BeforeEach
    void make_a_node() throws IOException {
        store = new RecordingStore(temp.resolve("node"), CrashedInstall.table());
    }

    private static List<Decision> decisions(StagingArea area) {
        return area.recovered().findings().stream()
                .map(RecoveryReport.Finding::decision)
                .toList();
    }

    @Test
    void finishes_what_lies_in_a_staging_directory_that_is_a_link() throws IOException {
        CrashedInstall.of(store);
        Path moved = Files.move(store.stagingDirectory(), temp.resolve("other-disk"));
        Files.createSymbolicLink(store.stagingDirectory(), moved);

        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            assertThat(decisions(area)).containsExactly(Decision.FINISHED);
        }

        assertThat(store.live()).hasSize(3);
        assertThat(store.wentLive).containsExactly(CrashedInstall.INSTALL);
    }

    @Test
    void a_volume_behind_a_link_is_gone_when_the_link_leads_nowhere() throws IOException {
        Path moved = Files.createDirectories(temp.resolve("other-disk"));
        Path staging = Files.createSymbolicLink(temp.resolve("staging"), moved);
        WatchedDisk disk = new WatchedDisk(new FileSystemDisk(), staging, () -> true, why -> {});
        Files.delete(moved);

        assertThatThrownBy(() -> disk.writeDurably(staging.resolve("file"), new byte[1]))
                .isInstanceOf(IOException.class);

        assertThat(disk.untrustedReason()).isPresent();
    }
}
