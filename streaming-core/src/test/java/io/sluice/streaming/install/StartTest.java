package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.TableStore.RecoveryReport;
import io.sluice.streaming.store.TableStore.RecoveryReport.Decision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether a node starts, and what becomes live, with directories and disks that are not as they were. */
class StartTest {
    private static final StagingArea.Options OPTIONS = new StagingArea.Options(
            ReceivedSSTableCheck.opening(), StagingLimits.DEFAULTS, Optional.of(new UUID(1, 1)), UUID::randomUUID);

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

    private static List<Path> filesIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private Path live() {
        return store.liveDirectory(store.table);
    }

    /** As a copy of the data directory leaves it that does not preserve hard links. */
    private void copyLiveFiles() throws IOException {
        for (Path file : filesIn(live())) {
            byte[] bytes = Files.readAllBytes(file);
            FileTime modified = Files.getLastModifiedTime(file);
            Files.delete(file);
            Files.write(file, bytes);
            Files.setLastModifiedTime(file, modified);
        }
    }

    @Test
    void finishes_a_set_whose_live_files_are_copies_in_a_moved_data_directory() throws IOException {
        CrashedInstall.of(store);
        copyLiveFiles();

        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            assertThat(decisions(area)).containsExactly(Decision.FINISHED);
            assertThat(OrphanedFiles.of(area)).isEmpty();
        }

        assertThat(store.live()).hasSize(3);
        assertThat(store.wentLive).containsExactly(CrashedInstall.INSTALL);
    }

    @Test
    void starts_though_another_file_has_the_name_of_a_committed_one_and_leaves_only_that_in_the_live_folder()
            throws IOException {
        CrashedInstall crashed = CrashedInstall.of(store);
        copyLiveFiles();
        Path other = live().resolve("nb-502-big-Data.db");
        byte[] bytes = Files.readAllBytes(other);
        bytes[bytes.length / 2] ^= 1;
        Files.write(other, bytes);

        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            assertThat(decisions(area)).containsExactly(Decision.WAITING);
            assertThat(area.recovered().toString())
                    .contains("the set stays committed")
                    .contains(other.toString());
        }
        assertThat(filesIn(live())).containsExactly(other);
        assertThat(crashed.set().resolve(CommitFile.NAME)).exists();

        Files.delete(other);
        StagingArea.open(store, new FileSystemDisk()).close();
        assertThat(store.live()).hasSize(3);
    }

    @Test
    void starts_though_the_live_folder_of_a_committed_set_is_gone() throws IOException {
        CrashedInstall.of(store);
        for (Path file : filesIn(live())) {
            Files.delete(file);
        }
        Files.delete(live());

        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            assertThat(decisions(area)).containsExactly(Decision.WAITING);
            assertThat(area.untrustedReason()).isEmpty();
        }

        Files.createDirectory(live());
        StagingArea.open(store, new FileSystemDisk()).close();
        assertThat(store.live()).hasSize(3);
    }

    /** A disk that fails at an operation on one path. */
    private record FailingAt(Disk real, String operation, Path at) implements BreakableDisk {
        @Override
        public void before(String what, Path path) throws IOException {
            if (what.equals(operation) && path.equals(at)) {
                throw new IOException(path + ": Permission denied");
            }
        }
    }

    @Test
    void does_not_start_while_a_part_of_a_set_stays_in_the_live_folder() throws IOException {
        CrashedInstall.of(store);
        Path kept = live().resolve("nb-502-big-TOC.txt");
        store.failGoLive = true;

        assertThatThrownBy(() -> StagingArea.open(store, new FailingAt(new FileSystemDisk(), "delete", kept)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(kept.toString());
    }

    @Test
    void starts_though_the_database_fails_to_name_the_live_folder_of_a_retained_set() throws IOException {
        uncommitted();
        store.unknownFolder = Optional.of(new IOException("the folder of the table is not known yet"));

        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            assertThat(decisions(area)).containsExactly(Decision.WAITING);
            assertThat(area.recovered().toString())
                    .contains("the set is retained")
                    .contains("the folder of the table is not known yet");
        }

        store.unknownFolder = Optional.empty();
        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            assertThat(decisions(area)).containsExactly(Decision.KEPT);
        }
    }

    /** A node that died before it committed what it had received. */
    private CrashedInstall uncommitted() throws IOException {
        CrashedInstall crashed = CrashedInstall.of(store);
        for (String name : List.of(CommitFile.NAME, CommitFile.COPY_NAME)) {
            Files.delete(crashed.set().resolve(name));
        }
        for (Path file : filesIn(live())) {
            Files.delete(file);
        }
        return crashed;
    }

    @Test
    void does_not_say_that_a_set_goes_live_of_which_it_cannot_read_whether_it_is_committed() throws IOException {
        Disk disk = new FailingAt(new FileSystemDisk(), "list", uncommitted().set());

        try (StagingArea area = StagingArea.open(store, disk)) {
            assertThat(area.outlook(CrashedInstall.PLAN, store.table)).isEqualTo(Outlook.MAY_BE_COMMITTED);
            assertThat(area.recovered().toString()).contains("WAITING").contains("the set is retained");
        }
    }

    @Test
    void says_that_a_set_is_live_whose_folder_cannot_be_removed() throws IOException {
        Path staged = CrashedInstall.of(store).set().resolve("nb-502-big-TOC.txt");

        try (StagingArea area = StagingArea.open(store, new FailingAt(new FileSystemDisk(), "delete", staged))) {
            assertThat(decisions(area)).containsExactly(Decision.WAITING);
            assertThat(area.recovered().toString()).contains("the set is live").doesNotContain("committed");
            assertThat(area.outlook(CrashedInstall.PLAN, store.table)).isEqualTo(Outlook.IS_LIVE);
        }
    }

    @Test
    void nothing_of_a_set_is_live_whose_commit_files_are_damaged() throws IOException {
        CrashedInstall crashed = CrashedInstall.of(store);
        for (String name : List.of(CommitFile.NAME, CommitFile.COPY_NAME)) {
            Files.write(crashed.set().resolve(name), new byte[] {1});
        }

        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            assertThat(decisions(area)).containsExactly(Decision.QUARANTINED);
        }

        assertThat(filesIn(live())).isEmpty();
    }

    @Test
    void an_error_of_the_disk_does_not_forget_epochs() throws IOException {
        Fence fence = new Fence(store.table.id(), TokenRanges.FULL, 3);
        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            area.admit(List.of(fence));
        }
        Path epochs = store.stagingDirectory().resolve(Epochs.NAME);

        assertThatThrownBy(() -> StagingArea.open(store, new FailingAt(new FileSystemDisk(), "read", epochs)))
                .isInstanceOf(IOException.class);

        Fence older = new Fence(store.table.id(), TokenRanges.FULL, 2);
        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            assertThatThrownBy(() -> area.admit(List.of(older))).isInstanceOf(StreamException.class);
        }
    }

    /** Relative to the staging directory. */
    @ParameterizedTest
    @CsvSource({
        "saved, rename, saved",
        "saved, make, quarantine",
        "slices-1, list, slices-1",
        "slices-1, delete, slices-1",
        "00000000-0000-0001-0000-000000000001/saved, rename, 00000000-0000-0001-0000-000000000001/saved",
        "00000000-0000-0009-0000-000000000001, delete, 00000000-0000-0009-0000-000000000001"
    })
    void starts_though_what_lies_beside_the_sets_cannot_be_moved_or_removed(String made, String operation, String at)
            throws IOException {
        CrashedInstall.of(store);
        Path entry = Files.createDirectories(store.stagingDirectory().resolve(made));
        Disk failing = new FailingAt(
                new FileSystemDisk(), operation, store.stagingDirectory().resolve(at));

        try (StagingArea area = StagingArea.open(store, failing)) {
            assertThat(decisions(area)).containsExactlyInAnyOrder(Decision.FINISHED, Decision.WAITING);
            assertThat(area.recovered().toString()).contains("WAITING " + entry + ": ", "Permission denied");
        }
        assertThat(store.live()).hasSize(3);
        assertThat(entry).isDirectory();

        StagingArea.open(store, new FileSystemDisk()).close();
        assertThat(entry).doesNotExist();
    }

    @Test
    void does_not_start_while_it_cannot_be_known_which_sets_a_plan_has() throws IOException {
        CrashedInstall crashed = CrashedInstall.of(store);
        Path plan = crashed.set().resolveSibling(".").normalize();

        assertThatThrownBy(() -> StagingArea.open(store, new FailingAt(new FileSystemDisk(), "list", plan)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(plan.toString());
    }

    @Test
    void does_not_start_while_what_is_named_as_a_set_is_no_folder_and_cannot_be_moved() throws IOException {
        CrashedInstall crashed = CrashedInstall.of(store);
        Path file = Files.createFile(crashed.set().resolveSibling(new UUID(4, 4).toString()));

        assertThatThrownBy(() -> StagingArea.open(store, new FailingAt(new FileSystemDisk(), "rename", file)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void starts_though_a_folder_of_another_node_cannot_be_moved() throws IOException {
        Path entry = Files.createDirectories(store.stagingDirectory().resolve("saved"));
        Files.writeString(store.stagingDirectory().resolve(Owner.NAME), "another");

        try (StagingArea area =
                StagingArea.open(store, new FailingAt(new FileSystemDisk(), "rename", entry), OPTIONS)) {
            assertThat(decisions(area)).contains(Decision.WAITING).doesNotContain(Decision.QUARANTINED);
        }

        StagingArea.open(store, new FileSystemDisk(), OPTIONS).close();
        assertThat(entry).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"No space left on device", "Disk quota exceeded"})
    void a_node_with_a_full_disk_starts_and_finishes_what_is_committed(String words) throws IOException {
        CrashedInstall.of(store);

        try (StagingArea area =
                StagingArea.open(store, new FullDisk(new FileSystemDisk(), store.root, words), OPTIONS)) {
            assertThat(decisions(area)).containsExactly(Decision.FINISHED);
        }

        assertThat(store.live()).hasSize(3);
        assertThat(store.failedDisks).isEmpty();
    }

    @Test
    void a_set_is_put_aside_on_a_full_disk_without_its_note() throws IOException {
        Path odd =
                Files.createDirectories(store.stagingDirectory().resolve("odd").resolve("set"));
        Files.createDirectory(odd.resolve("folder"));

        try (StagingArea area = StagingArea.open(store, new FullDisk(store.root))) {
            assertThat(decisions(area)).containsExactly(Decision.QUARANTINED);
        }

        assertThat(store.stagingDirectory().resolve("quarantine").resolve("odd"))
                .isDirectory();
    }

    @Test
    void a_full_volume_is_used_beside_others_and_no_failure_of_its_disk() throws IOException {
        store.others = List.of(temp.resolve("b"), temp.resolve("c"));
        store.firstTokens = TokenRanges.FULL; // else the one with most space, which others on this machine change
        CrashedInstall.of(store);
        Path fresh = temp.resolve("d");
        store.others = List.of(temp.resolve("b"), temp.resolve("c"), fresh);

        try (StagingArea area = StagingArea.open(store, new FullDisk(temp), OPTIONS)) {
            assertThat(decisions(area)).containsExactly(Decision.FINISHED);
            assertThat(area.failedVolumes()).isEmpty();
        }

        assertThat(store.live()).hasSize(3);
        assertThat(store.failedDisks).isEmpty();
    }

    @Test
    void a_full_volume_that_gets_its_first_neighbour_finishes_and_fences_as_before() throws IOException {
        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            area.admit(List.of(new Fence(store.table.id(), TokenRanges.FULL, 3)));
        }
        CrashedInstall.of(store);
        store.others = List.of(temp.resolve("b"));

        try (StagingArea area = StagingArea.open(store, new FullDisk(store.root), OPTIONS)) {
            assertThat(decisions(area)).containsExactly(Decision.FINISHED);
            Fence older = new Fence(store.table.id(), TokenRanges.FULL, 2);
            assertThatThrownBy(() -> area.admit(List.of(older))).isInstanceOf(StreamException.class);
        }

        assertThat(store.live()).hasSize(3);
        assertThat(store.failedDisks).isEmpty();
    }

    @Test
    void a_volume_that_was_full_when_it_needed_an_id_receives_nothing_until_the_next_start() throws IOException {
        store.others = List.of(temp.resolve("b"));

        try (StagingArea area = StagingArea.open(store, new FullDisk(store.root), OPTIONS)) {
            StagingArea.Scratch full = area.scratch(store.stagingDirectory());
            assertThatThrownBy(() -> full.reserve(1))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("restart this node");
            assertThat(area.scratch().root()).isEqualTo(temp.resolve("b").resolve("staging"));
        }

        try (StagingArea area = StagingArea.open(store, new FileSystemDisk(), OPTIONS)) {
            area.scratch(store.stagingDirectory()).reserve(1);
        }
    }
}
