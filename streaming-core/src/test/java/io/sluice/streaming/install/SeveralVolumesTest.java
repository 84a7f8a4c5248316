package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.progress.StreamActivity.VolumeSample;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.store.TableStore.RecoveryReport;
import io.sluice.streaming.transfer.block.Pinned;
import io.sluice.streaming.transfer.block.WholeSSTables;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sets that lie on several volumes, of which any may fail at any operation. Long because all cases share how a set is
 * staged, and what must hold of it after a failure.
 */
class SeveralVolumesTest {
    private static final Path FIXTURE =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "multi_sstable", "nb");
    private static final UUID PLAN = new UUID(1, 1);
    private static final int ALL = 3;
    private static final int MAX_OPERATIONS = 1_000;
    /** Every so many operations in each build, every single one in the long profile. */
    private static final int SAMPLE = 17;

    @TempDir
    Path temp;

    private TableDirectory source;
    private TableRef table;
    private Path node;
    private Database database;
    private int installs;

    @BeforeEach
    void find_the_fixture() throws IOException {
        source = TableDirectory.find(FIXTURE).get(0);
        table = new TableRef(source.id(), source.keyspace(), source.name());
        startWith(temp.resolve("node"));
    }

    private void startWith(Path data) throws IOException {
        node = data;
        for (Path volume : volumes()) {
            Files.createDirectories(volume.resolve("live"));
        }
        database = new Database();
    }

    private List<Path> volumes() {
        return Stream.of("a", "b", "c").map(node::resolve).toList();
    }

    /** Remembers what it was called with. */
    private final class Database implements TableStore {
        final Set<UUID> installs = new HashSet<>();
        final List<Path> live = new ArrayList<>();
        final List<Path> failed = new ArrayList<>();
        boolean isFailing;
        boolean isFailingWhenSettled;
        int lastId = 500;

        @Override
        public List<Volume> volumes() {
            return SeveralVolumesTest.this.volumes().stream()
                    .map(volume -> new Volume(volume.resolve("staging")))
                    .toList();
        }

        @Override
        public Path stagingDirectory() {
            return volumes().get(0).stagingDirectory();
        }

        @Override
        public Optional<TableRef> table(UUID tableId) {
            return Optional.of(table);
        }

        @Override
        public PinnedTable pin(UUID planId, TableRef wanted, TokenRanges ranges) throws IOException {
            throw new IOException("nothing is sent from here");
        }

        @Override
        public Path liveDirectory(TableRef wanted) {
            throw new AssertionError("the folder of which volume?");
        }

        @Override
        public Path liveDirectory(TableRef wanted, Volume volume) {
            return volume.stagingDirectory().resolveSibling("live");
        }

        @Override
        public String newId(TableRef wanted) {
            return String.valueOf(++lastId);
        }

        @Override
        public void activate(UUID installId, TableRef wanted, List<Path> dataFiles) throws IOException {
            if (isFailing) {
                throw new IOException("injected: the database does not answer");
            }
            assertThat(dataFiles).allSatisfy(file -> assertThat(file).exists());
            installs.add(installId);
            live.addAll(dataFiles);
        }

        @Override
        public void activated(UUID installId, TableRef wanted) {
            if (isFailingWhenSettled) {
                throw new IllegalStateException("injected: the database fails");
            }
        }

        @Override
        public void diskFailed(Path stagingDirectory, String why) {
            failed.add(stagingDirectory.getParent());
        }
    }

    private FailingVolumesDisk disk() {
        return new FailingVolumesDisk(volumes());
    }

    private StagingArea open(Disk disk) throws IOException {
        return StagingArea.open(
                database,
                disk,
                new StagingArea.Options(
                        ReceivedSSTableCheck.opening(), StagingLimits.DEFAULTS, Optional.empty(), UUID::randomUUID));
    }

    private List<SSTableOffer> offers() throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : source.descriptors()) {
            sstables.add(SSTable.open(source.path(), descriptor));
        }
        return WholeSSTables.offers(Pinned.of(table, sstables), TokenRanges.FULL, 0);
    }

    /** As an attempt of a session does it; how many bytes had to be sent. */
    private long receive(StagedSet set, UUID session) throws IOException {
        long sent = 0;
        for (SSTableOffer offer : offers()) {
            StagedSet.Landing landing = set.land(
                    session,
                    offer,
                    () -> new Descriptor(offer.source().version(), new SSTableId.Sequence(++database.lastId)));
            for (var manifest : offer.components()) {
                Extent all =
                        new Extent(offer.number(), manifest.component(), 0, Math.toIntExact(manifest.lengthBytes()));
                if (landing.held().stream().anyMatch(held -> held.extent().equals(all))) {
                    continue;
                }
                byte[] bytes =
                        Files.readAllBytes(source.path().resolve(offer.source().fileName(manifest.component())));
                try (DiskFile file = set.open(landing.descriptor(), manifest.component())) {
                    file.writeFully(ByteBuffer.wrap(bytes), 0);
                }
                set.landed(landing.descriptor(), all, manifest.crc32());
                sent += bytes.length;
            }
            set.stage(session, landing.descriptor(), offer, TokenRanges.FULL);
        }
        return sent;
    }

    /** As the engine does it: what a volume took with it comes again. Whether it is installed. */
    private boolean install(StagingArea area) throws IOException {
        StagedSet set = null;
        for (int attempt = 0; attempt <= volumes().size(); attempt++) {
            UUID session = new UUID(3, attempt);
            try {
                set = set == null ? area.begin(PLAN, table) : set;
                receive(set, session);
                area.install(set, new UUID(2, ++installs));
                area.end(PLAN);
                return true;
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("injected");
                if (set != null && area.isCommitted(set)) {
                    return false;
                }
                assertThat(Failure.of(e).code()).isEqualTo(ErrorCode.VOLUME_FAILED);
                if (set != null) {
                    set.release(session);
                    set.unstage(session);
                    set.close();
                    set = null;
                }
            }
        }
        throw new AssertionError("more attempts than volumes");
    }

    /** The SSTables that a database finds when it starts. */
    private List<Path> found(List<Path> volumes) throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path volume : volumes) {
            try (Stream<Path> files = Files.list(volume.resolve("live"))) {
                files.filter(file -> file.toString().endsWith(Component.TOC.fileName()))
                        .forEach(found::add);
            }
        }
        return found;
    }

    @Test
    void a_set_spreads_over_the_volumes_and_becomes_live_in_one_step() throws IOException {
        try (StagingArea area = open(disk())) {
            assertThat(install(area)).isTrue();
            assertThat(OrphanedFiles.of(area)).isEmpty();
        }

        assertThat(database.live).hasSize(ALL);
        assertThat(volumes())
                .allSatisfy(volume -> assertThat(found(List.of(volume))).hasSize(1));
        assertThat(database.installs).hasSize(1);
    }

    @Test
    void a_set_is_live_or_not_wherever_it_lies_when_the_process_dies_at_some_operation() throws IOException {
        dieAtEvery(SAMPLE);
    }

    @Test
    @Tag("full")
    void a_set_is_live_or_not_wherever_it_lies_when_the_process_dies_at_any_operation() throws IOException {
        dieAtEvery(1);
    }

    private void dieAtEvery(int step) throws IOException {
        for (int n = 1; n <= MAX_OPERATIONS; n += step) {
            startWith(temp.resolve("dies" + n));
            FaultyDisk dying = FaultyDisk.failingAt(n);
            boolean isInstalled = false;
            try (StagingArea area = open(new Spread(dying))) {
                StagedSet set = area.begin(PLAN, table);
                receive(set, new UUID(3, 3));
                area.install(set, new UUID(2, 2));
                isInstalled = true;
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("injected");
            }

            open(disk()).close();

            assertThat(found(volumes())).as("operation %d", n).size().isIn(0, ALL);
            if (isInstalled) {
                assertThat(found(volumes())).as("operation %d", n).hasSize(ALL);
            }
            if (found(volumes()).isEmpty()) {
                try (StagingArea area = open(disk())) {
                    assertThat(install(area)).as("operation %d", n).isTrue();
                    assertThat(OrphanedFiles.of(area)).as("operation %d", n).isEmpty();
                }
            }
            assertThat(database.installs).as("operation %d", n).hasSize(1);
            if (!dying.hasFailed()) {
                return;
            }
        }
        throw new AssertionError("still failing after " + MAX_OPERATIONS + " operations");
    }

    /** A disk on which each SSTable finds most room on another volume. */
    private static final class Spread implements ForwardingDisk {
        private final Disk real;
        private final List<Path> created = new ArrayList<>();

        Spread(Disk real) {
            this.real = real;
        }

        @Override
        public Disk real() {
            return real;
        }

        @Override
        public DiskFile create(Path file) throws IOException {
            created.add(file);
            return real.create(file);
        }

        @Override
        public long usableBytes(Path directory) {
            Path volume = directory.getParent();
            return (1_000
                            - created.stream()
                                    .filter(file -> file.startsWith(volume))
                                    .count())
                    << 30;
        }
    }

    @Test
    void each_volume_says_what_is_reserved_of_it_and_what_waits_for_its_disk() throws IOException {
        List<VolumeSample> whileCreating = new ArrayList<>();
        FailingVolumesDisk real = disk();
        List<StagingArea> opened = new ArrayList<>();
        Disk looking = new ForwardingDisk() {
            @Override
            public Disk real() {
                return real;
            }

            @Override
            public DiskFile create(Path file) throws IOException {
                opened.forEach(area -> area.samples().stream()
                        .filter(volume -> file.startsWith(volume.directory()))
                        .forEach(whileCreating::add));
                return real.create(file);
            }
        };
        try (StagingArea area = open(looking)) {
            opened.add(area);
            area.measure(Runnable::run);
            assertThat(area.samples())
                    .hasSize(volumes().size())
                    .allMatch(volume -> volume.freeBytes() == (100L << 30) - volume.headroomBytes())
                    .allMatch(volume -> volume.reservedBytes() == 0 && volume.operations() == 0);

            StagedSet set = area.begin(PLAN, table);
            receive(set, new UUID(3, 0));

            assertThat(whileCreating).isNotEmpty().allMatch(volume -> volume.operations() == 1);
            assertThat(whileCreating)
                    .filteredOn(volume -> volume.reservedBytes() > 0)
                    .isNotEmpty()
                    .allMatch(volume ->
                            volume.freeBytes() == (100L << 30) - volume.headroomBytes() - volume.reservedBytes());
            assertThat(area.samples()).allMatch(volume -> volume.reservedBytes() == 0 && volume.operations() == 0);
            set.close();
        }
    }

    /** Nothing was being written there: only its room is asked for. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_volume_that_fails_while_room_is_sought_fails_alone(boolean isGone) throws IOException {
        FailingVolumesDisk disk = disk().vanishing(isGone);
        Path lost = volumes().get(1);
        try (StagingArea area = open(disk)) {
            StagedSet set = area.begin(PLAN, table);
            disk.failing(lost, 0);

            receive(set, new UUID(3, 0));
            area.install(set, new UUID(2, 0));

            assertThat(area.failedVolumes()).containsOnlyKeys(lost.resolve("staging"));
            assertThat(database.failed).containsExactly(lost);
            assertThat(database.live).hasSize(ALL).noneMatch(file -> file.startsWith(lost));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_volume_that_fails_at_some_operation_fails_alone(boolean isGone) throws IOException {
        failAtEvery(SAMPLE, isGone);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("full")
    void a_volume_that_fails_at_any_operation_fails_alone(boolean isGone) throws IOException {
        failAtEvery(1, isGone);
    }

    private void failAtEvery(int step, boolean isGone) throws IOException {
        for (int number = 0; number < volumes().size(); number++) {
            boolean isOver = false;
            for (int n = 1; n <= MAX_OPERATIONS && !isOver; n += step) {
                startWith(temp.resolve("fails" + number + "-" + n));
                isOver = !failing(volumes().get(number), n, isGone);
            }
            assertThat(isOver).as("all operations were tried").isTrue();
        }
    }

    /** Whether the volume has failed by then. */
    private boolean failing(Path volume, int operation, boolean isGone) throws IOException {
        String as = "volume " + volume + (isGone ? " gone" : "") + " at operation " + operation;
        FailingVolumesDisk disk = disk().failing(volume, operation).vanishing(isGone);
        boolean isInstalled;
        try (StagingArea area = open(disk)) {
            isInstalled = install(area);
            assertThat(area.untrustedReason()).as(as).isEmpty();
            assertThat(area.failedVolumes().keySet())
                    .as(as)
                    .isEqualTo(disk.hasFailed(volume) ? Set.of(volume.resolve("staging")) : Set.of());
            assertThat(database.failed).as(as).isEqualTo(disk.hasFailed(volume) ? List.of(volume) : List.of());
        }
        if (isInstalled) {
            assertThat(database.live).as(as).hasSize(ALL);
            assertThat(found(volumes())).as(as).hasSize(ALL);
        }
        List<Path> others =
                volumes().stream().filter(other -> !other.equals(volume)).toList();
        int before = found(others).size();
        boolean wasLive = !database.live.isEmpty();

        open(disk().failing(volume, 1).vanishing(isGone)).close(); // without it

        if (isInstalled) {
            assertThat(found(others)).as("%s: what healthy volumes have", as).hasSize(before);
        } else {
            assertThat(found(others)).as("%s: nothing is half live", as).size().isIn(0, wasLive ? before : 0);
        }
        boolean isDecided = isInstalled || wasLive || isCommitFileThere();
        open(disk()).close(); // it is back
        assertThat(found(volumes())).as(as).hasSize(isDecided ? ALL : 0);
        assertThat(database.installs).as(as).hasSize(isDecided ? 1 : 0);
        if (!isDecided) {
            return true; // it failed while the commit file was written, which nobody saw
        }
        try (StagingArea area = open(disk())) {
            assertThat(area.recovered().findings()) // what was received before it failed
                    .as(as)
                    .allMatch(finding -> finding.decision() == RecoveryReport.Decision.KEPT
                            && finding.path().startsWith(volume));
        }
        return disk.hasFailed(volume);
    }

    private boolean isCommitFileThere() throws IOException {
        for (Path volume : volumes()) {
            try (Stream<Path> files = Files.walk(volume.resolve("staging"))) {
                if (files.anyMatch(file -> file.endsWith(CommitFile.NAME))) {
                    return true;
                }
            }
        }
        return false;
    }

    @Test
    void what_lies_on_healthy_volumes_need_not_come_again() throws IOException {
        FailingVolumesDisk disk = disk();
        try (StagingArea area = open(disk)) {
            StagedSet set = area.begin(PLAN, table);
            long all = receive(set, new UUID(3, 0));
            disk.failing(volumes().get(1), 1);

            assertThatThrownBy(() -> {
                        area.reservedBytes();
                        area.volumes()
                                .all()
                                .get(1)
                                .disk()
                                .syncDirectory(volumes().get(1));
                    })
                    .hasMessageContaining("injected");
            assertThatThrownBy(() -> area.install(set, new UUID(2, 0)))
                    .satisfies(failed -> assertThat(Failure.of(failed).code()).isEqualTo(ErrorCode.VOLUME_FAILED));

            StagedSet again = area.begin(PLAN, table);
            long sent = receive(again, new UUID(3, 1));
            area.install(again, new UUID(2, 1));

            assertThat(sent).isBetween(1L, all - 1);
            assertThat(found(List.of(volumes().get(1)))).isEmpty();
            assertThat(found(volumes())).hasSize(ALL);
        }
    }

    @Test
    void a_set_whose_decision_is_missing_waits_and_no_part_of_it_is_live() throws IOException {
        database.isFailing = true;
        try (StagingArea area = open(disk())) {
            assertThat(install(area)).isFalse(); // committed, its names linked
        }
        assertThat(found(volumes())).hasSize(ALL);
        database.isFailing = false;
        for (Path missing : volumes()) {
            List<Path> others =
                    volumes().stream().filter(other -> !other.equals(missing)).toList();

            try (StagingArea area = open(disk().failing(missing, 1))) {
                assertThat(found(others)).as("without %s", missing).isEmpty();
                assertThat(area.recovered().findings())
                        .isNotEmpty()
                        .allMatch(finding -> finding.decision() == RecoveryReport.Decision.WAITING);
                assertThat(area.isCommitted(PLAN, table)).isTrue();
                assertThatThrownBy(() -> area.begin(PLAN, table)).hasMessageContaining("waits for the next start");
                assertThatThrownBy(() -> area.finishCommitted(PLAN, table))
                        .hasMessageContaining("waits for the next start");
            }
        }
        assertThat(database.live).isEmpty();

        open(disk()).close();

        assertThat(database.live).hasSize(ALL);
        assertThat(found(volumes())).hasSize(ALL);
    }

    /** Found by seed 902201 of the simulation. */
    @Test
    void cleaning_up_after_an_install_leaves_the_parts_of_another_alone() throws IOException {
        Path first = volumes().get(0);
        database.isFailing = true;
        try (StagingArea area = open(disk().failing(first, 1))) {
            assertThat(install(area)).isFalse(); // committed on the other two
        }
        database.isFailing = false;
        database.isFailingWhenSettled = true;
        FailingVolumesDisk others =
                disk().failing(volumes().get(1), 1).failing(volumes().get(2), 1);
        try (StagingArea area = open(others)) {
            assertThatThrownBy(() -> install(area)).hasMessageContaining("injected"); // live, and not cleaned up
        }
        database.isFailingWhenSettled = false;

        try (StagingArea area = open(disk())) {
            assertThat(area.recovered().findings())
                    .extracting(RecoveryReport.Finding::decision)
                    .containsExactlyInAnyOrder(RecoveryReport.Decision.CLEANED, RecoveryReport.Decision.FINISHED);
            assertThat(OrphanedFiles.of(area)).isEmpty();
        }
        assertThat(database.installs).hasSize(2);
    }

    @Test
    void a_part_of_what_was_never_committed_is_kept_for_the_next_attempt() throws IOException {
        Path part;
        try (StagingArea area = open(disk())) {
            receive(area.begin(PLAN, table), new UUID(3, 0));
            SetFolder folder = area.volumes().all().get(1).folder(SetName.of(PLAN, table.id()));
            UUID home = area.volumes().all().get(0).id().orElseThrow();
            folder.disk()
                    .publish(
                            folder.path().resolve(CommitPart.NAME),
                            new CommitPart(new UUID(2, 9), home, List.of()).encode());
            part = folder.path();
        }

        try (StagingArea area = open(disk())) {
            assertThat(area.recovered().findings())
                    .hasSize(ALL)
                    .allMatch(finding -> finding.decision() == RecoveryReport.Decision.KEPT);
            assertThat(part.resolve(CommitPart.NAME)).doesNotExist();
            assertThat(receive(area.begin(PLAN, table), new UUID(3, 1))).isZero();
        }
    }

    /** Found by seed 905522 of the simulation. */
    @Test
    void a_volume_that_is_back_learns_the_epochs_that_it_has_missed() throws IOException {
        List<Path> volumes = volumes();
        try (StagingArea area = open(disk().failing(volumes.get(0), 1).failing(volumes.get(1), 1))) {
            area.admit(List.of(new Fence(table.id(), TokenRanges.FULL, 7)));
        }
        open(disk()).close();

        try (StagingArea area = open(disk().failing(volumes.get(2), 1))) {
            assertThatThrownBy(() -> area.admit(List.of(new Fence(table.id(), TokenRanges.FULL, 6))))
                    .satisfies(failed -> assertThat(Failure.of(failed).code()).isEqualTo(ErrorCode.FENCED));
        }
    }

    @Test
    void a_full_volume_is_passed_over_and_nothing_touches_its_headroom() throws IOException {
        FailingVolumesDisk disk = disk();
        disk.fill(volumes().get(0));
        disk.fill(volumes().get(2));
        try (StagingArea area = open(disk)) {
            assertThat(install(area)).isTrue();
            assertThat(found(List.of(volumes().get(1)))).hasSize(ALL);

            disk.fill(volumes().get(1));

            assertThatThrownBy(() -> receive(area.begin(PLAN, table), new UUID(3, 1)))
                    .hasMessageContaining("are needed, 0 are free");
            assertThat(area.reservedBytes()).isZero();
        }
    }

    @Test
    void a_directory_that_another_process_has_is_no_failed_volume() throws IOException {
        StagingArea first = open(disk());

        assertThatThrownBy(() -> open(disk())).hasMessageContaining("in use by another process");

        first.close();
        assertThat(database.failed).isEmpty();
    }

    @Test
    void a_copy_of_a_volume_is_refused() throws IOException {
        open(disk()).close();
        Path id = Path.of("staging", VolumeId.NAME);
        Files.delete(volumes().get(1).resolve(id));
        Files.copy(volumes().get(0).resolve(id), volumes().get(1).resolve(id));

        assertThatThrownBy(() -> open(disk())).hasMessageContaining("is a copy of");
    }

    @Test
    void one_volume_alone_has_the_files_that_it_always_had() throws IOException {
        RecordingStore alone = new RecordingStore(Files.createDirectories(temp.resolve("alone")), table);
        try (StagingArea area = StagingArea.open(alone, new FileSystemDisk())) {
            StagedSet set = area.begin(PLAN, table);
            receive(set, new UUID(3, 0));
            alone.failGoLive = true;
            assertThatThrownBy(() -> area.install(set, new UUID(2, 0))).hasMessageContaining("injected");

            assertThat(alone.stagingDirectory()).isDirectoryNotContaining("glob:**volume");
            Path folder = set.folders().get(0).path();
            assertThat(folder).isDirectoryNotContaining("glob:**commit-part");
            assertThat(Files.readString(folder.resolve(CommitFile.NAME)))
                    .startsWith("sluice-commit 3\n")
                    .doesNotContain("volume ");
        }
    }
}
