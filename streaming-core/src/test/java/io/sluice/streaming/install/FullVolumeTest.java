package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.log.SystemError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node whose first volume is full receives on its empty second one. */
class FullVolumeTest {
    private static final StagingArea.Options OPTIONS = new StagingArea.Options(
            ReceivedSSTableCheck.opening(), StagingLimits.DEFAULTS, Optional.of(new UUID(1, 1)), UUID::randomUUID);
    private static final UUID PLAN = new UUID(4, 4);

    @TempDir
    Path temp;

    private RecordingStore store;

    @BeforeEach
    void make_a_node() throws IOException {
        store = new RecordingStore(temp.resolve("a"), CrashedInstall.table());
    }

    private StagingArea open() throws IOException {
        return StagingArea.open(store, new FileSystemDisk(), OPTIONS);
    }

    /** @param hasId whether the first volume has got the id that it needs beside another before it was full */
    private void addVolume(boolean hasId) throws IOException {
        store.others = List.of(temp.resolve("b"));
        if (hasId) {
            open().close();
        }
    }

    private StagingArea openWithFullVolume() throws IOException {
        return StagingArea.open(store, new FullDisk(store.root), OPTIONS);
    }

    private Fence fence(long epoch) {
        return new Fence(store.table.id(), TokenRanges.FULL, epoch);
    }

    private void assertFenced(StagingArea area, long epoch) {
        assertThatThrownBy(() -> area.admit(List.of(fence(epoch))))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FENCED));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void admits_operations_and_fences_those_that_they_replace(boolean hasId) throws IOException {
        try (StagingArea area = open()) {
            area.admit(List.of(fence(2)));
        }
        addVolume(hasId);

        try (StagingArea area = openWithFullVolume()) {
            area.admit(List.of(fence(3)));
            assertFenced(area, 2);
        }

        open().close(); // now the first volume has space for the epoch, too
        store.others = List.of();
        try (StagingArea area = open()) {
            assertFenced(area, 2);
        }
    }

    @Test
    void admits_nothing_if_no_volume_has_space_for_the_epoch() throws IOException {
        addVolume(true);

        try (StagingArea area = StagingArea.open(store, new FullDisk(temp), OPTIONS)) {
            assertThatThrownBy(() -> area.admit(List.of(fence(3))))
                    .isInstanceOf(IOException.class)
                    .matches(SystemError::isFull);
        }

        try (StagingArea area = open()) {
            area.admit(List.of(fence(2)));
        }
    }

    private void assertLiveOnTheOther(int sstables) throws IOException {
        try (Stream<Path> files = Files.list(temp.resolve("b").resolve("live"))) {
            assertThat(files.filter(file -> file.toString().endsWith(Component.DATA.fileName())))
                    .hasSize(sstables);
        }
        assertThat(store.live()).isEmpty();
        assertThat(store.failedDisks).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void receives_a_table_of_which_the_full_volume_retains_data_until_the_table_is_live(boolean hasId)
            throws IOException {
        try (StagingArea area = open()) {
            StagedSet set = area.begin(CrashedInstall.PLAN, store.table);
            CrashedInstall.receive(store, set);
            area.abandon(set);
        }
        addVolume(hasId);

        try (StagingArea area = openWithFullVolume()) {
            long retained = area.abandonedBytes();
            StagedSet set = area.begin(PLAN, store.table);
            CrashedInstall.receive(store, set);
            assertThat(area.abandonedBytes()).isPositive().isEqualTo(retained);
            area.install(set, CrashedInstall.INSTALL);
            // Nothing is retained that is not there: a later plan would look for it.
            assertThat(area.abandonedBytes()).isEqualTo(stagedBytes());
            area.install(area.begin(new UUID(5, 5), store.table), new UUID(6, 6));
        }

        assertLiveOnTheOther(3);
    }

    /** All that lies in folders of plans on the full volume. */
    private long stagedBytes() throws IOException {
        try (Stream<Path> files = Files.walk(store.stagingDirectory(), 3)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> store.stagingDirectory().relativize(file).getNameCount() == 3)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    private void retain(UUID plan) throws IOException {
        try (StagingArea area = open()) {
            StagedSet set = area.begin(plan, store.table);
            CrashedInstall.receive(store, set);
            area.abandon(set);
        }
    }

    @Test
    void removes_nothing_that_it_retains_when_it_is_too_full_to_use_it() throws IOException {
        retain(CrashedInstall.PLAN);
        addVolume(true);
        Path older = store.stagingDirectory().resolve(new UUID(7, 7).toString());
        Files.createDirectories(older);
        Path set = store.stagingDirectory().resolve(CrashedInstall.PLAN.toString());
        copy(
                set.resolve(store.table.id().toString()),
                older.resolve(store.table.id().toString()));

        FullDisk disk = new FullDisk(store.root);
        disk.isFull().set(false);
        try (StagingArea area = StagingArea.open(store, disk, OPTIONS)) {
            disk.isFull().set(true); // at the start the limit for what is retained would apply
            long retained = area.abandonedBytes();
            area.abandon(area.begin(PLAN, store.table));
            assertThat(area.abandonedBytes()).isEqualTo(retained).isEqualTo(stagedBytes());
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void is_asked_once_for_all_sstables_that_it_should_have_and_keeps_nothing_of_them(boolean isRetaining)
            throws IOException {
        if (isRetaining) {
            retain(CrashedInstall.PLAN);
        }
        store.firstTokens = TokenRanges.FULL;
        addVolume(true);
        FullDisk disk = new FullDisk(store.root);

        try (StagingArea area = StagingArea.open(store, disk, OPTIONS)) {
            disk.readWhole().clear();
            StagedSet set = area.begin(PLAN, store.table);
            CrashedInstall.receive(store, set);
            area.discard(set);
            area.end(PLAN);
        }

        assertThat(disk.readWhole().stream().filter(file -> file.endsWith(Journal.NAME) && file.startsWith(store.root)))
                .hasSize(isRetaining ? 1 : 0);
        assertThat(Files.exists(store.stagingDirectory().resolve(PLAN.toString())))
                .as("what is retained was adopted by this plan")
                .isEqualTo(isRetaining);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void receives_what_the_full_volume_should_have_by_its_tokens(boolean hasId) throws IOException {
        store.firstTokens = TokenRanges.FULL;
        addVolume(hasId);

        try (StagingArea area = openWithFullVolume()) {
            StagedSet set = area.begin(PLAN, store.table);
            CrashedInstall.receive(store, set);
            area.install(set, CrashedInstall.INSTALL);
        }

        assertLiveOnTheOther(3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void commits_a_table_without_rows_on_the_other(boolean hasId) throws IOException {
        addVolume(hasId);

        try (StagingArea area = openWithFullVolume()) {
            area.install(area.begin(PLAN, store.table), CrashedInstall.INSTALL);
        }

        assertThat(store.wentLive).containsExactly(CrashedInstall.INSTALL);
        assertLiveOnTheOther(0);
    }

    /** A full disk that has space again when something is removed from it. */
    private record Reusable(FullDisk full) implements ForwardingDisk {
        @Override
        public Disk real() {
            return full;
        }

        @Override
        public void delete(Path file) throws IOException {
            full.delete(file);
            if (file.toString().endsWith(Component.DATA.fileName())) {
                full.isFull().set(false);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void removes_what_is_retained_if_no_volume_has_a_byte_for_a_journal(boolean isAlone) throws IOException {
        retain(CrashedInstall.PLAN);
        if (!isAlone) {
            addVolume(true);
        }
        FullDisk disk = new FullDisk(temp);
        disk.isFull().set(false);

        try (StagingArea area = StagingArea.open(store, new Reusable(disk), OPTIONS)) {
            disk.isFull().set(true);
            StagedSet set = area.begin(PLAN, store.table);
            CrashedInstall.receive(store, set);
            area.install(set, CrashedInstall.INSTALL);
        }

        assertThat(store.wentLive).containsExactly(CrashedInstall.INSTALL);
    }

    @Test
    void removes_nothing_for_a_volume_that_receives_nothing_until_the_next_start() throws IOException {
        retain(CrashedInstall.PLAN);
        addVolume(false);

        try (StagingArea area = StagingArea.open(store, new FullDisk(temp), OPTIONS)) {
            long retained = area.abandonedBytes();
            StagedSet set = area.begin(PLAN, store.table);
            assertThatThrownBy(() -> CrashedInstall.receive(store, set))
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL));
            assertThat(area.abandonedBytes()).isPositive().isEqualTo(retained);
        }
    }
}
