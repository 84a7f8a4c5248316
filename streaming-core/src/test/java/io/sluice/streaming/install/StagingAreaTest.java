package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.guard.GuardedStore;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore.RecoveryReport;
import io.sluice.streaming.transfer.block.Pinned;
import io.sluice.streaming.transfer.block.WholeSSTables;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * From landing to the next start. Long because all cases share how a set is staged, and how a start is made to fail.
 */
class StagingAreaTest {
    private static final Path FIXTURE =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "multi_sstable", "nb");
    private static final UUID PLAN = new UUID(1, 1);
    private static final UUID SESSION = new UUID(3, 3);
    private static final UUID INSTALL = new UUID(2, 2);
    private static final int MAX_OPERATIONS = 500;

    @TempDir
    Path temp;

    private RecordingStore store;
    private TableDirectory source;

    @BeforeEach
    void find_the_fixture() throws IOException {
        source = TableDirectory.find(FIXTURE).get(0);
        store = new RecordingStore(Files.createDirectories(temp.resolve("node")), tableOf(source));
    }

    @Test
    void makes_a_received_set_live_and_leaves_nothing_in_staging() throws IOException {
        assertThat(tryInstall(new FileSystemDisk())).isTrue();

        assertThat(store.live()).hasSize(3);
        assertThat(store.wentLive).containsExactly(INSTALL);
        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            assertThat(OrphanedFiles.of(area)).isEmpty();
        }
    }

    @Test
    void installs_all_or_nothing_if_a_file_operation_fails() throws IOException {
        installWithFaultAtEach(5);
    }

    @Test
    @Tag("full")
    void installs_all_or_nothing_whichever_file_operation_fails() throws IOException {
        installWithFaultAtEach(1);
    }

    private void installWithFaultAtEach(int step) throws IOException {
        for (int n = 1; n <= MAX_OPERATIONS; n += step) {
            store = new RecordingStore(Files.createDirectories(temp.resolve("node" + n)), tableOf(source));
            FaultyDisk disk = FaultyDisk.failingAt(n);
            boolean installed = tryInstall(disk);

            StagingArea.open(store, new FileSystemDisk()).close(); // restart
            int live = store.live().size();

            assertThat(live)
                    .as("SSTables live after a fault at operation %d", n)
                    .isIn(0, 3);
            assertThat(new TreeSet<>(store.wentLive)).as("at operation %d", n).hasSize(live == 0 ? 0 : 1);
            if (installed) {
                assertThat(live)
                        .as("after a success with a fault at operation %d", n)
                        .isEqualTo(3);
            }
            if (live == 0) {
                assertThat(tryInstall(new FileSystemDisk()))
                        .as("another attempt after a fault at operation %d", n)
                        .isTrue();
            }
            try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
                assertThat(OrphanedFiles.of(area)).as("at operation %d", n).isEmpty();
            }
            if (!disk.hasFailed()) {
                assertThat(installed).isTrue();
                return; // no fault was left to inject
            }
        }
        throw new AssertionError("install still failing after " + MAX_OPERATIONS + " operations");
    }

    @Test
    void recovers_when_recovery_itself_dies_at_any_step() throws IOException {
        for (int n = 1; n <= MAX_OPERATIONS; n++) {
            store = new RecordingStore(Files.createDirectories(temp.resolve("node" + n)), tableOf(source));
            store.failGoLive = true;
            assertThat(tryInstall(new FileSystemDisk())).isFalse(); // committed, but not live
            store.failGoLive = false;
            FaultyDisk disk = FaultyDisk.failingAt(n);
            try (StagingArea area = StagingArea.open(store, disk)) {
                assertThat(area).isNotNull();
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("injected");
            }

            StagingArea.open(store, new FileSystemDisk()).close();

            assertThat(store.live())
                    .as("a committed set becomes live, fault at %d", n)
                    .hasSize(3);
            if (!disk.hasFailed()) {
                return;
            }
        }
        throw new AssertionError("recovery still failing after " + MAX_OPERATIONS + " operations");
    }

    @Test
    void starts_without_what_the_database_was_not_told_of_or_not_at_all() throws IOException {
        startWithFaultAtEach(5);
    }

    @Test
    @Tag("full")
    void starts_without_what_the_database_was_not_told_of_in_its_folder_or_not_at_all() throws IOException {
        startWithFaultAtEach(1);
    }

    private void startWithFaultAtEach(int step) throws IOException {
        for (int n = 1; n <= MAX_OPERATIONS; n += step) {
            store = new RecordingStore(Files.createDirectories(temp.resolve("node" + n)), tableOf(source));
            store.failGoLive = true;
            assertThat(tryInstall(new FileSystemDisk())).isFalse();
            FaultyDisk disk = FaultyDisk.failingAt(n);
            try (StagingArea area = StagingArea.open(store, disk)) {
                assertThat(area).isNotNull();
                assertThat(store.live()).as("started, fault at %d", n).isEmpty();
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("injected");
            }

            store.failGoLive = false;
            StagingArea.open(store, new FileSystemDisk()).close();

            assertThat(store.live()).as("nothing is lost, fault at %d", n).hasSize(3);
            if (!disk.hasFailed()) {
                return;
            }
        }
        throw new AssertionError("recovery still failing after " + MAX_OPERATIONS + " operations");
    }

    /** A node after a crash between the commit and the last step; returns its commit file. */
    private Path committedButNotLive() throws IOException {
        store = new RecordingStore(Files.createDirectories(temp.resolve("node")), tableOf(source));
        store.failGoLive = true;
        assertThat(tryInstall(new FileSystemDisk())).isFalse();
        store.failGoLive = false;
        try (Stream<Path> files = Files.walk(store.stagingDirectory())) {
            return files.filter(file -> file.getFileName().toString().equals(CommitFile.NAME))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void keeps_a_committed_set_of_a_table_that_is_not_known_yet() throws IOException {
        Path commit = committedButNotLive();
        store.knowsTable = false;
        StagingArea.open(store, new FileSystemDisk()).close();
        assertThat(commit).exists();
        assertThat(store.wentLive).isEmpty();

        store.knowsTable = true;
        StagingArea.open(store, new FileSystemDisk()).close();

        assertThat(store.wentLive).hasSize(1);
        assertThat(store.live()).hasSize(3);
    }

    @Test
    void an_id_that_the_database_gave_before_commits_nothing_and_changes_no_file() throws IOException {
        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            StagedSet set = area.begin(PLAN, store.table);
            SSTableOffer offer = offers().get(0);
            Descriptor staged = land(set, offer);
            set.stage(SESSION, staged, offer, TokenRanges.FULL);
            Path first = Files.writeString(
                    store.liveDirectory(store.table).resolve(staged.fileName(Component.STATISTICS)), "the first one");

            assertThatThrownBy(() -> area.install(set, INSTALL))
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INTERNAL))
                    .hasMessageContaining("newId of " + store.table)
                    .hasMessageContaining(first.toString());

            assertThat(area.isCommitted(set)).isFalse();
            assertThat(first).hasContent("the first one");
        }
        assertThat(store.wentLive).isEmpty();
    }

    private StagedSet stageOne(StagingArea area) throws IOException {
        StagedSet set = area.begin(PLAN, store.table);
        SSTableOffer offer = offers().get(0);
        set.stage(SESSION, land(set, offer), offer, TokenRanges.FULL);
        return set;
    }

    @Test
    void installs_to_a_live_folder_that_is_a_link() throws IOException {
        Path live = store.liveDirectory(store.table);
        Path moved = Files.move(live, temp.resolve("moved"));
        Files.createSymbolicLink(live, moved);

        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            assertThat(area.install(stageOne(area), INSTALL)).isEqualTo(1);
        }

        assertThat(store.wentLive).containsExactly(INSTALL);
        assertThat(moved.resolve("nb-501-big-TOC.txt")).exists();
    }

    @Test
    void a_table_that_is_dropped_before_the_permit_is_discarded() throws IOException {
        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            StagedSet set = stageOne(area);
            store.unknownFolder = Optional.of(new IOException(store.table + " was dropped"));
            store.noPermit = Optional.of(new StreamException(ErrorCode.DISCARDED, store.table + " was dropped"));

            assertThatThrownBy(() -> area.install(set, INSTALL))
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISCARDED));
            assertThat(area.isCommitted(set)).isFalse();
        }
    }

    @Test
    void a_database_that_fails_once_to_name_the_live_folder_loses_nothing() throws IOException {
        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            StagedSet set = stageOne(area);
            store.unknownFolder = Optional.of(new IOException("the folder of the table is not known yet"));
            assertThatThrownBy(() -> area.install(set, INSTALL)).hasMessageContaining("not known yet");
            assertThat(area.isCommitted(set)).isTrue();
            store.unknownFolder = Optional.empty();

            assertThat(area.install(set, INSTALL)).isEqualTo(1);
        }
        assertThat(store.live()).hasSize(1);
    }

    private void drop() {
        store.knowsTable = false;
        store.isDropped = true;
    }

    @Test
    void removes_a_committed_set_of_a_table_that_was_dropped_whichever_file_operation_fails() throws IOException {
        for (int n = 1; n <= MAX_OPERATIONS; n++) {
            Path commit = committedButNotLive();
            drop();
            FaultyDisk disk = FaultyDisk.failingAt(n);
            try {
                StagingArea.open(store, disk).close();
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("injected");
            }

            try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
                assertThat(OrphanedFiles.of(area))
                        .as("after a fault at operation %d", n)
                        .isEmpty();
            }

            assertThat(commit).doesNotExist();
            assertThat(store.wentLive).isEmpty();
            if (!disk.hasFailed()) {
                return;
            }
            emptyLiveFolder(); // as the database does, which dropped the table
        }
        throw new AssertionError("recovery still failing after " + MAX_OPERATIONS + " operations");
    }

    private void emptyLiveFolder() throws IOException {
        try (Stream<Path> live = Files.list(store.liveDirectory(store.table))) {
            for (Path file : live.toList()) {
                Files.delete(file);
            }
        }
    }

    /** Against all rules a file of another content has the name of a new SSTable. */
    @Test
    void takes_no_file_of_somebody_else_for_one_that_it_has_linked() throws IOException {
        store = new RecordingStore(Files.createDirectories(temp.resolve("other")), tableOf(source));
        Path taken = store.liveDirectory(store.table).resolve("nb-501-big-Data.db");
        store.appearing = Optional.of(taken);

        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            StagedSet set = area.begin(PLAN, store.table);
            for (SSTableOffer offer : offers()) {
                set.stage(SESSION, land(set, offer), offer, TokenRanges.FULL);
            }
            assertThatThrownBy(() -> area.install(set, INSTALL))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(taken.getFileName().toString());
        }

        assertThat(store.wentLive).isEmpty();
        assertThat(taken).hasBinaryContent(new byte[] {1, 2, 3});
    }

    @Test
    void says_that_it_removed_what_had_come_of_a_table_that_was_dropped_committed_or_not() throws IOException {
        committedButNotLive();
        drop();
        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            assertThat(area.recovered().toString())
                    .startsWith("DISCARDED ")
                    .endsWith(": it was committed, but its table was dropped");
        }
        store = new RecordingStore(Files.createDirectories(temp.resolve("other")), tableOf(source));
        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            StagedSet set = area.begin(PLAN, store.table);
            SSTableOffer offer = offers().get(0);
            set.stage(SESSION, land(set, offer), offer, TokenRanges.FULL);
        }
        drop();
        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            assertThat(area.recovered().toString()).startsWith("DISCARDED ").endsWith(": its table was dropped");
            assertThat(OrphanedFiles.of(area)).isEmpty();
        }
    }

    private static void assertDiscarded(ThrowingCallable step) {
        assertThatThrownBy(step)
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISCARDED))
                .hasMessageContaining("was dropped while it was streamed");
    }

    @Test
    void goes_no_further_with_a_table_that_is_dropped_at_any_step() throws IOException {
        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            StagedSet set = area.begin(PLAN, store.table);
            SSTableOffer offer = offers().get(0);
            Descriptor landed = land(set, offer);
            set.stage(SESSION, landed, offer, TokenRanges.FULL);
            drop();

            assertDiscarded(() -> area.requireTable(store.table));
            assertDiscarded(() -> set.stage(SESSION, landed, offer, TokenRanges.FULL));
            assertDiscarded(() -> area.install(set, INSTALL));

            assertThat(area.isCommitted(set)).isFalse();
            area.discard(set);
            area.end(PLAN);
            assertThat(OrphanedFiles.of(area)).isEmpty();
        }
    }

    @Test
    void removes_a_committed_set_whose_table_is_dropped_before_the_database_has_answered() throws IOException {
        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            StagedSet set = area.begin(PLAN, store.table);
            SSTableOffer offer = offers().get(0);
            set.stage(SESSION, land(set, offer), offer, TokenRanges.FULL);
            store.failGoLive = true;
            assertThatThrownBy(() -> area.install(set, INSTALL)).hasMessageContaining("injected");
            assertThat(area.isCommitted(set)).isTrue();
            drop();

            assertDiscarded(() -> area.install(set, INSTALL));

            area.end(PLAN);
            assertThat(OrphanedFiles.of(area)).isEmpty();
            assertThat(store.wentLive).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"knownTables", "table", "liveDirectory", "activate", "activated"})
    void starts_whichever_call_of_the_database_fails_and_ends_the_work_at_the_next_start(String call)
            throws IOException {
        Path commit = committedButNotLive();
        store.failing = Optional.of(call);

        try (StagingArea area = StagingArea.open(new GuardedStore(store), new FileSystemDisk())) {
            if (call.equals("knownTables")) { // asked for a look at the folders, after recovery
                assertThat(decisions(area)).containsExactly(RecoveryReport.Decision.FINISHED);
            } else {
                assertThat(decisions(area)).containsExactly(RecoveryReport.Decision.WAITING);
                assertThat(area.recovered().toString())
                        .contains(call.equals("activated") ? "the set is live" : "the set stays committed")
                        .contains("a defect of the database in " + call);
                assertThat(commit).exists();
            }
            if (call.equals("activate")) {
                assertThat(store.live())
                        .as("what the database was not notified of")
                        .isEmpty();
            }
        }

        store.failing = Optional.empty();
        try (StagingArea area = StagingArea.open(new GuardedStore(store), new FileSystemDisk())) {
            assertThat(OrphanedFiles.of(area)).isEmpty();
        }
        assertThat(new TreeSet<>(store.wentLive)).hasSize(1);
        assertThat(store.live()).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"table", "isDropped"})
    void starts_though_the_database_fails_to_say_what_became_of_a_table(String call) throws IOException {
        Path commit = committedButNotLive();
        Files.delete(commit);
        Files.delete(commit.resolveSibling(CommitFile.COPY_NAME));
        store.knowsTable = false;
        store.failing = Optional.of(call);

        try (StagingArea area = StagingArea.open(new GuardedStore(store), new FileSystemDisk())) {
            assertThat(area.recovered().toString())
                    .contains("WAITING")
                    .contains("the set is retained until a start at which the database does not fail")
                    .contains("a defect of the database in " + call);
        }
        assertThat(commit.getParent()).isNotEmptyDirectory();
    }

    @Test
    void starts_though_the_database_throws_what_it_may_throw_when_a_set_is_to_go_live() throws IOException {
        committedButNotLive();
        store.failGoLive = true; // an IOException

        try (StagingArea area = StagingArea.open(new GuardedStore(store), new FileSystemDisk())) {
            assertThat(area.recovered().toString())
                    .contains("WAITING")
                    .contains("injected: the database does not answer");
        }

        store.failGoLive = false;
        StagingArea.open(new GuardedStore(store), new FileSystemDisk()).close();
        assertThat(store.live()).hasSize(3);
    }

    private static List<RecoveryReport.Decision> decisions(StagingArea area) {
        return area.recovered().findings().stream()
                .map(RecoveryReport.Finding::decision)
                .toList();
    }

    @Test
    void starts_though_a_file_of_a_committed_set_is_gone_and_makes_no_part_of_it_live() throws IOException {
        for (boolean isCutShort : new boolean[] {false, true}) {
            Path commit = committedButNotLive();
            List<Path> staged = new ArrayList<>();
            try (Stream<Path> files = Files.list(commit.getParent())) {
                files.filter(file -> file.toString().endsWith("-Data.db"))
                        .sorted()
                        .forEach(staged::add);
            }
            Path last = staged.get(staged.size() - 1);
            emptyLiveFolder(); // the install died before it linked anything
            if (isCutShort) {
                Files.write(last, new byte[3]);
            } else {
                Files.delete(last);
            }

            try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
                assertThat(decisions(area)).containsExactly(RecoveryReport.Decision.QUARANTINED);
                assertThat(area.recovered().toString())
                        .contains(last.getFileName().toString())
                        .contains("nothing was moved");
            }
            assertThat(store.live()).isEmpty();
            assertThat(store.wentLive).isEmpty();
            try (Stream<Path> live = Files.list(store.liveDirectory(store.table))) {
                assertThat(live).isEmpty();
            }
            StagingArea.open(store, new FileSystemDisk()).close(); // and again
        }
    }

    private static void damage(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
    }

    @Test
    void starts_with_one_of_two_commit_files_damaged_and_makes_the_set_live() throws IOException {
        damage(committedButNotLive());

        StagingArea.open(store, new FileSystemDisk()).close();

        assertThat(store.live()).hasSize(3);
    }

    /** A disk on which the files of a name lie on a bad sector. */
    private record BadSector(Disk real, String name) implements ForwardingDisk {
        BadSector(String name) {
            this(new FileSystemDisk(), name);
        }

        @Override
        public byte[] read(Path file, int maxLengthBytes) throws IOException {
            if (file.endsWith(name)) {
                throw new IOException(file + ": Input/output error");
            }
            return real.read(file, maxLengthBytes);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {CommitFile.NAME, CommitFile.COPY_NAME})
    void starts_with_a_bad_sector_in_one_of_two_commit_files_and_makes_the_set_live(String name) throws IOException {
        committedButNotLive();

        StagingArea.open(store, new BadSector(name)).close();

        assertThat(store.live()).hasSize(3);
    }

    @Test
    void starts_though_the_disk_reads_neither_commit_file_and_removes_nothing_of_the_set() throws IOException {
        Path commit = committedButNotLive();
        damage(commit.resolveSibling(CommitFile.COPY_NAME));

        try (StagingArea area = StagingArea.open(store, new BadSector(CommitFile.NAME))) {
            assertThat(decisions(area)).containsExactly(RecoveryReport.Decision.WAITING);
            assertThat(area.recovered().toString()).contains("Input/output error");
            assertThat(store.live()).isEmpty();
        }

        StagingArea.open(store, new FileSystemDisk()).close();
        assertThat(store.live()).hasSize(3);
    }

    @Test
    void puts_a_set_aside_whose_journal_lies_on_a_bad_sector() throws IOException {
        Path commit = committedButNotLive();
        Files.delete(commit);
        Files.delete(commit.resolveSibling(CommitFile.COPY_NAME));

        try (StagingArea area = StagingArea.open(store, new BadSector(Journal.NAME))) {
            assertThat(decisions(area)).containsExactly(RecoveryReport.Decision.QUARANTINED);
            assertThat(area.recovered().toString()).contains("its journal cannot be read");
        }
    }

    private static long countOf(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.count();
        }
    }

    @Test
    void puts_a_set_aside_whose_commit_files_are_damaged_and_removes_nothing() throws IOException {
        Path commit = committedButNotLive();
        damage(commit);
        damage(commit.resolveSibling(CommitFile.COPY_NAME));
        long files = countOf(commit.resolveSibling("."));

        StagingArea.open(store, new FileSystemDisk()).close(); // starts
        StagingArea.open(store, new FileSystemDisk()).close(); // and again

        Path quarantine = store.stagingDirectory().resolve("quarantine");
        assertThat(quarantine.resolve(PLAN + "-" + store.table.id())).isDirectory();
        assertThat(countOf(quarantine.resolve(PLAN + "-" + store.table.id()))).isEqualTo(files);
        assertThat(Files.readString(quarantine.resolve(PLAN + "-" + store.table.id() + ".txt")))
                .contains("commit file and the copy are corrupt");
        assertThat(store.wentLive).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Data.db", "Statistics.db", "TOC.txt"})
    void puts_a_committed_set_aside_if_other_bytes_of_the_same_length_are_in_a_file(String component)
            throws IOException {
        Path folder = committedButNotLive().resolveSibling(".").normalize();
        Path damaged;
        try (Stream<Path> files = Files.list(folder)) {
            damaged = files.filter(file -> file.toString().endsWith(component))
                    .findFirst()
                    .orElseThrow();
        }
        damage(damaged);

        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            assertThat(area.recovered().toString())
                    .startsWith("QUARANTINED ")
                    .contains("it was committed, but cannot become live", damaged + ": CRC-32 ");
        }
        assertThat(store.wentLive).isEmpty();
        assertThat(store.live()).isEmpty();
    }

    @Test
    void reads_a_committed_set_once_in_a_process_and_not_if_it_was_committed_there() throws IOException {
        AtomicInteger reads = new AtomicInteger();
        ForwardingDisk disk = new ForwardingDisk() {
            private final Disk real = new FileSystemDisk();

            @Override
            public Disk real() {
                return real;
            }

            @Override
            public long crc32(Path file, long offset, long lengthBytes) throws IOException {
                reads.incrementAndGet();
                return real.crc32(file, offset, lengthBytes);
            }
        };
        store.failGoLive = true;
        try (StagingArea area = open(disk)) {
            StagedSet set = area.begin(PLAN, store.table);
            for (SSTableOffer offer : offers()) {
                set.stage(SESSION, land(set, offer), offer, TokenRanges.FULL);
            }
            store.unknownFolder = Optional.of(new IOException("injected"));
            for (int attempt = 0; attempt < 3; attempt++) {
                assertThatThrownBy(() -> area.install(set, INSTALL)).hasMessageContaining("injected");
                store.unknownFolder = Optional.empty();
            }
            assertThat(reads).hasValue(0);
        }
        try (StagingArea area = open(disk)) {
            int files = reads.get();
            assertThat(files).isPositive();
            assertThatThrownBy(() -> area.finishCommitted(PLAN, store.table)).hasMessageContaining("injected");
            assertThat(reads).hasValue(files);
            store.failGoLive = false;
            assertThat(area.finishCommitted(PLAN, store.table)).isPresent();
            assertThat(reads).hasValue(files);
        }
    }

    @Test
    void ignores_a_commit_file_that_is_damaged_at_any_byte() throws IOException {
        CommitFile commit = new CommitFile(
                INSTALL,
                store.table.id(),
                source.descriptors(),
                List.of(
                        new CommitFile.StagedFile("nb-1-big-Data.db", 77),
                        new CommitFile.StagedFile("nb-1-big-Index.db", 78, Optional.of(PLAN), OptionalLong.of(79))));
        byte[] bytes = commit.encode();

        assertThat(CommitFile.decode(bytes)).isEqualTo(commit);
        for (int i = 0; i < bytes.length; i++) {
            byte[] damaged = bytes.clone();
            damaged[i] ^= 4;
            byte[] cut = java.util.Arrays.copyOf(bytes, i);
            assertThatThrownBy(() -> CommitFile.decode(damaged))
                    .as("byte %d", i)
                    .isInstanceOf(UnreadableLineException.class);
            assertThatThrownBy(() -> CommitFile.decode(cut))
                    .as("first %d bytes", i)
                    .isInstanceOf(UnreadableLineException.class);
        }
    }

    @Test
    void says_which_line_of_a_commit_file_cannot_be_read_and_why() {
        String head = "sluice-commit 1\ninstall " + INSTALL + "\n";

        assertUnreadable("sluice-commit 2\n".getBytes(StandardCharsets.UTF_8), 1, "(expected: sluice-commit 1)");
        assertUnreadable((head + "crc32 00000000\n").getBytes(StandardCharsets.UTF_8), 3, "'crc32 00000000' (expected");
        assertUnreadable(SealedText.seal(head), 3, "lines 'install' and 'table' before it");
        assertUnreadable(SealedText.seal(head + "file -5 nb-1-big-Data.db\n"), 3, "length: -5 (expected: at least 0)");
        assertUnreadable(SealedText.seal(head + "file 5 ../passwd\n"), 3, "'../passwd' (expected: a component's)");
        assertUnreadable(SealedText.seal(head + "file 5\n"), 3, "file 5");
        assertUnreadable(SealedText.seal(head + "file 5 nb-1-big-Data.db 0000000a\n"), 3, "(expected: a component's)");
        String third = "sluice-commit 3\n";
        assertUnreadable(SealedText.seal(third + "file 5 nb-1-big-Data.db -1\n"), 2, "0 to 2^32 - 1");
        assertUnreadable(SealedText.seal(third + "file 5 nb-1-big-Data.db 100000000\n"), 2, "0 to 2^32 - 1");
        assertUnreadable(SealedText.seal(head + "\u001b[2J 7\n"), 3, "\\u001b[2J 7': unknown to this version");
    }

    private static void assertUnreadable(byte[] bytes, int line, String why) {
        assertThatThrownBy(() -> CommitFile.decode(bytes))
                .isInstanceOfSatisfying(
                        UnreadableLineException.class, e -> assertThat(e.line()).isEqualTo(line))
                .hasMessageStartingWith("line " + line + ": '")
                .hasMessageContaining(why);
    }

    @Test
    void is_refused_to_a_second_process() throws IOException {
        try (StagingArea first = StagingArea.open(store, new FileSystemDisk())) {
            assertThatThrownBy(() -> StagingArea.open(store, new FileSystemDisk()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use by another process");
            assertThat(OrphanedFiles.of(first)).isEmpty();
        }
    }

    @Test
    void gives_its_lock_back_when_the_database_throws_an_error_at_the_start() throws IOException {
        store.failing = Optional.of("knownTables");
        assertThatThrownBy(() -> StagingArea.open(store, new FileSystemDisk()))
                .hasMessage("a defect of the database in knownTables"); // nobody stands between

        store.failing = Optional.empty();
        StagingArea.open(store, new FileSystemDisk()).close();
    }

    @Test
    void refuses_bytes_that_do_not_fit_with_the_numbers() throws IOException {
        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            assertThatThrownBy(() -> area.scratch().reserve(Long.MAX_VALUE / 2))
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL))
                    .hasMessageContaining("are free");
        }
    }

    @Test
    void refuses_an_sstable_with_partitions_outside_of_what_was_asked_for() throws IOException {
        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            StagedSet set = area.begin(PLAN, store.table);
            SSTableOffer offer = offers().get(0);
            Descriptor descriptor = land(set, offer);

            assertThatThrownBy(() -> set.stage(SESSION, descriptor, offer, TokenRanges.of(TokenRange.of(0, 1))))
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OUT_OF_RANGE));
        }
    }

    /** Lands, stages and installs the fixture's SSTables; whether all of it succeeded. */
    private boolean tryInstall(Disk disk) throws IOException {
        try (StagingArea area = StagingArea.open(store, disk)) {
            StagedSet set = area.begin(PLAN, store.table);
            for (SSTableOffer offer : offers()) {
                set.stage(SESSION, land(set, offer), offer, TokenRanges.FULL);
            }
            area.install(set, INSTALL);
            area.end(PLAN);
            return true;
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("injected");
            return false;
        }
    }

    private List<SSTableOffer> offers() throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : source.descriptors()) {
            sstables.add(SSTable.open(source.path(), descriptor));
        }
        return WholeSSTables.offers(Pinned.of(store.table, sstables), TokenRanges.FULL, 0);
    }

    private Descriptor land(StagedSet set, SSTableOffer offer) throws IOException {
        Descriptor descriptor =
                set.land(SESSION, offer, () -> store.newDescriptor(offer)).descriptor();
        for (var manifest : offer.components()) {
            Component component = manifest.component();
            byte[] bytes =
                    Files.readAllBytes(source.path().resolve(offer.source().fileName(component)));
            try (DiskFile file = set.open(descriptor, component)) {
                file.writeFully(ByteBuffer.wrap(bytes), 0);
            }
        }
        return descriptor;
    }

    private static TableRef tableOf(TableDirectory directory) {
        return new TableRef(directory.id(), directory.keyspace(), directory.name());
    }

    private StagingArea open(Disk disk) throws IOException {
        return StagingArea.open(store, disk);
    }

    private static void assertFull(ThrowingCallable step) {
        assertThatThrownBy(step)
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL))
                .hasMessageContaining("headroom for the database");
    }

    @Test
    void keeps_back_one_percent_of_the_volume_or_256_mib_whichever_is_more() throws IOException {
        try (StagingArea area = open(new SmallVolume(2L << 30, 1L << 30))) {
            area.scratch().reserve(768L << 20);
            assertFull(() -> area.scratch().reserve(1));
            area.scratch().release(768L << 20);
            assertThat(area.reservedBytes()).isZero();
        }
        try (StagingArea area = open(new SmallVolume(1_000L << 30, 11L << 30))) {
            area.scratch().reserve(1L << 30);
            assertFull(() -> area.scratch().reserve(1));
        }
    }

    @Test
    void begins_no_new_file_when_others_have_taken_the_room() throws IOException {
        SmallVolume disk = new SmallVolume(2L << 30, 1L << 30);
        try (StagingArea area = open(disk)) {
            StagedPart part = area.begin(PLAN, store.table).part(area.volumes().first());
            Descriptor descriptor = source.descriptors().get(0);
            part.open(descriptor, Component.INDEX, false).close();

            disk.usableBytes = 255L << 20;

            assertFull(() -> part.open(descriptor, Component.DATA, false));
            part.open(descriptor, Component.INDEX, false).close(); // what is begun is brought to its end
            disk.usableBytes = 1L << 30;
            part.open(descriptor, Component.DATA, false).close();
        }
    }

    /** A disk that fails to write to a journal once. */
    private static final class JournalFailsOnce implements BreakableDisk {
        private final Disk real = new FileSystemDisk();
        private boolean hasFailed;

        @Override
        public void before(String what, Path path) throws IOException {
            if (!hasFailed && what.equals("write") && path.endsWith(Journal.NAME)) {
                hasFailed = true;
                throw new IOException("Input/output error");
            }
        }

        @Override
        public Disk real() {
            return real;
        }
    }

    @Test
    void a_claim_is_released_if_the_journal_cannot_be_written() throws IOException {
        try (StagingArea area = open(new JournalFailsOnce())) {
            StagedSet set = area.begin(PLAN, store.table);
            SSTableOffer offer = offers().get(0);

            assertThatThrownBy(() -> land(set, offer))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Input/output error");
            set.release(SESSION);

            assertThat(area.reservedBytes()).isZero();
            set.stage(SESSION, land(set, offer), offer, TokenRanges.FULL); // another attempt
            assertThat(area.reservedBytes()).isZero();
        }
    }

    /** A disk that does everything but give a file another name. */
    private record NoRename(Disk real) implements ForwardingDisk {
        @Override
        public void rename(Path from, Path to) throws IOException {
            throw new IOException("Read-only file system");
        }
    }

    @Test
    void says_at_the_start_that_staging_cannot_be_used() {
        assertThatThrownBy(() -> open(new NoRename(new FileSystemDisk())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the staging directory cannot be used")
                .hasMessageContaining("Read-only file system");
    }

    @Test
    void finds_a_live_folder_on_another_file_system() throws IOException {
        Path memory = Path.of("/dev/shm");
        assumeTrue(
                Files.isWritable(memory) && !Files.getFileStore(memory).equals(Files.getFileStore(temp)),
                "no second file system here");
        Path live = Files.createTempDirectory(memory, "sluice-probe-test");
        try {
            assertThatThrownBy(() -> DirectoryProbe.live(new FileSystemDisk(), temp, live))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("on another file system than " + temp);
        } finally {
            Files.delete(live);
        }
    }

    @Test
    void a_probe_leaves_nothing_also_of_one_that_died() throws IOException {
        Path staging = Files.createDirectories(store.stagingDirectory());
        Path live = store.liveDirectory(store.table);
        Files.createFile(staging.resolve(DirectoryProbe.NAME));
        Files.createFile(live.resolve(DirectoryProbe.NAME));

        try (StagingArea area = open(new FileSystemDisk())) {
            assertThat(OrphanedFiles.of(area)).isEmpty();
        }

        assertThat(live).isEmptyDirectory();
    }

    @Test
    void an_operation_that_was_replaced_stages_and_commits_nothing() throws IOException {
        Fence old = new Fence(store.table.id(), TokenRanges.FULL, 1);
        Fence newer = new Fence(store.table.id(), TokenRanges.FULL, 2);
        try (StagingArea area = open(new FileSystemDisk())) {
            area.admit(List.of(old));
            StagedSet set = area.begin(PLAN, store.table, old);
            List<SSTableOffer> offers = offers();
            set.stage(SESSION, land(set, offers.get(0)), offers.get(0), TokenRanges.FULL);
            Descriptor late = land(set, offers.get(1));

            area.admit(List.of(newer));

            for (ThrowingCallable step : List.<ThrowingCallable>of(
                    () -> set.stage(SESSION, late, offers.get(1), TokenRanges.FULL),
                    () -> area.install(set, INSTALL),
                    () -> area.admit(List.of(old)))) {
                assertThatThrownBy(step)
                        .isInstanceOfSatisfying(
                                StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FENCED));
            }
        }
        assertThat(store.wentLive).isEmpty();
        assertThat(store.live()).isEmpty();
    }

    @Test
    void starts_though_the_database_throws_the_same_object_twice() throws IOException {
        committedButNotLive();
        store.refusal = Optional.of(new StreamException(ErrorCode.INTERNAL, "not now"));

        try (StagingArea area = StagingArea.open(new GuardedStore(store), new FileSystemDisk())) {
            assertThat(decisions(area)).containsExactly(RecoveryReport.Decision.WAITING);
            assertThat(area.recovered().toString()).contains("not now");
        }
    }

    @Test
    void a_plan_that_is_executed_again_makes_live_what_it_has_committed() throws IOException {
        committedButNotLive();
        store.failGoLive = true;
        try (StagingArea area = open(new FileSystemDisk())) {
            assertThatThrownBy(() -> area.finishCommitted(PLAN, store.table)).isInstanceOf(IOException.class);
            store.failGoLive = false;

            area.finishCommitted(PLAN, store.table);
            area.finishCommitted(PLAN, store.table);

            area.end(PLAN);
            assertThat(OrphanedFiles.of(area)).isEmpty();
        }
        assertThat(store.live()).hasSize(3);
        assertThat(new TreeSet<>(store.wentLive)).hasSize(1);
    }

    /** Another source has sent the table instead, and it is live while what this one began still runs. */
    @Test
    void work_on_a_set_that_is_over_touches_nothing_and_the_disk_is_believed_as_before() throws IOException {
        UUID late = new UUID(4, 4);
        try (StagingArea area = open(new FileSystemDisk())) {
            StagedSet set = area.begin(PLAN, store.table);
            List<SSTableOffer> offers = offers();
            Descriptor installed = land(set, offers.get(0));
            set.stage(SESSION, installed, offers.get(0), TokenRanges.FULL);
            SSTableOffer offer = offers.get(1);
            StagedSet.Landing landing =
                    set.land(late, offer, () -> new Descriptor(offer.source().version(), new SSTableId.Sequence(900)));
            Extent extent = new Extent(offer.number(), Component.DATA, 0, 1);
            set.unstage(late);
            area.install(set, INSTALL);

            for (ThrowingCallable step : List.<ThrowingCallable>of(
                    () -> set.land(late, offers.get(2), landing::descriptor),
                    () -> set.open(landing.descriptor(), Component.DATA),
                    () -> set.landed(landing.descriptor(), extent, 0),
                    () -> set.stage(late, landing.descriptor(), offer, TokenRanges.FULL))) {
                assertThatThrownBy(step).isInstanceOf(SetOverException.class);
            }

            assertThat(area.untrustedReason()).isEmpty();
            area.end(PLAN);
            assertThat(OrphanedFiles.of(area)).isEmpty();
            assertThat(area.reservedBytes()).isZero();
        }
        assertThat(store.live()).hasSize(1);
    }
}
