package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore.RecoveryReport;
import io.sluice.streaming.store.TableStore.RecoveryReport.Decision;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a node makes of a staging directory in whatever state, and of a disk that has failed it. */
class RecoveryTest {
    private static final TableRef TABLE = new TableRef(new UUID(7, 7), "ks", "t");
    private static final UUID NODE = new UUID(1, 1);
    private static final UUID OTHER_NODE = new UUID(2, 2);
    private static final UUID PLAN = new UUID(3, 3);

    @TempDir
    Path temp;

    private RecordingStore store;
    private Path staging;
    private Path set;

    @BeforeEach
    void make_a_node() throws IOException {
        store = new RecordingStore(temp.resolve("node"), TABLE);
        staging = store.stagingDirectory();
        set = staging.resolve(PLAN.toString()).resolve(TABLE.id().toString());
        Files.createDirectories(set);
    }

    private StagingArea open(UUID node) throws IOException {
        return StagingArea.open(
                store,
                new FileSystemDisk(),
                new StagingArea.Options(
                        ReceivedSSTableCheck.opening(), StagingLimits.DEFAULTS, Optional.of(node), UUID::randomUUID));
    }

    private List<Decision> decisions(UUID node) throws IOException {
        try (StagingArea area = open(node)) {
            return area.recovered().findings().stream()
                    .map(RecoveryReport.Finding::decision)
                    .toList();
        }
    }

    @Test
    void reports_what_it_removed_kept_and_put_aside() throws IOException {
        Files.createDirectories(staging.resolve("odd").resolve("set").resolve("folder"));

        try (StagingArea area = open(NODE)) {
            assertThat(area.recovered().toString())
                    .contains("REMOVED " + set + ": it was not committed, and nothing of it was received")
                    .contains("QUARANTINED " + staging.resolve("odd") + ": this node did not make it");
        }
        assertThat(decisions(NODE)).isEmpty(); // the second time nothing is left to decide
        assertThat(new RecoveryReport(List.of())).hasToString("nothing was left in staging");
    }

    @Test
    void removes_nothing_that_it_did_not_make() throws IOException {
        Path backup = Files.createDirectories(staging.resolve("saved").resolve("users"));
        Files.writeString(backup.resolve("nb-1-big-Data.db"), "precious");
        Path copy = Files.createDirectories(set.resolveSibling("users-copy"));
        Files.writeString(copy.resolve("nb-1-big-Data.db"), "precious, too");
        Files.writeString(set.resolveSibling("note.txt"), "as precious");

        assertThat(decisions(NODE))
                .containsExactlyInAnyOrder(
                        Decision.REMOVED, Decision.QUARANTINED, Decision.QUARANTINED, Decision.QUARANTINED);

        Path quarantine = staging.resolve("quarantine");
        assertThat(quarantine.resolve("saved").resolve("users").resolve("nb-1-big-Data.db"))
                .hasContent("precious");
        assertThat(quarantine.resolve(PLAN + "-users-copy").resolve("nb-1-big-Data.db"))
                .hasContent("precious, too");
        assertThat(quarantine.resolve(PLAN + "-note.txt")).hasContent("as precious");
        assertThat(set.getParent()).doesNotExist();
        assertThat(decisions(NODE)).isEmpty();
    }

    @Test
    void removes_temporary_files_of_a_source_without_a_word() throws IOException {
        Files.createDirectories(staging.resolve("slices-" + PLAN + "-1").resolve("7"));

        assertThat(decisions(NODE)).containsExactly(Decision.REMOVED); // the set

        assertThat(staging.resolve("slices-" + PLAN + "-1")).doesNotExist();
    }

    @Test
    void reports_as_kept_only_what_is_still_there() throws IOException {
        Files.delete(set);
        for (int i = 0; i < 5; i++) {
            Path folder = Files.createDirectories(staging.resolve(new UUID(9, i).toString())
                    .resolve(TABLE.id().toString()));
            Descriptor descriptor = new Descriptor(Version.NB, new SSTableId.Sequence(41));
            SSTableFingerprint content = SSTableFingerprint.decode(List.of("Data.db:3:0000002a"));
            Journal.begin(
                            new FileSystemDisk(),
                            folder,
                            TABLE.id(),
                            List.of(new Journal.Entry.Begun(descriptor, content)))
                    .close();
            Files.setLastModifiedTime(folder.resolve(Journal.NAME), FileTime.fromMillis(1_000_000L * (i == 2 ? 9 : i)));
        }

        RecoveryReport report;
        try (StagingArea area = StagingArea.open(store, new SmallVolume(1 << 20, 500))) {
            report = area.recovered();
        }

        assertThat(report.findings()).hasSize(5);
        for (RecoveryReport.Finding finding : report.findings()) {
            boolean isNewest = finding.path().startsWith(staging.resolve(new UUID(9, 2).toString()));
            assertThat(finding.decision()).isEqualTo(isNewest ? Decision.KEPT : Decision.REMOVED);
            assertThat(Files.exists(finding.path())).isEqualTo(isNewest);
            assertThat(finding.reason()).contains(isNewest ? "are retained" : "to free space");
        }
    }

    @Test
    void says_why_it_removes_what_was_received_but_cannot_be_used() throws IOException {
        Files.writeString(set.resolve("nb-1-big-Data.db"), "received");
        assertThat(reasons()).containsExactly("it was not committed, and it has no journal of what was received");

        Files.createDirectories(set);
        Files.writeString(set.resolve("nb-1-big-Data.db"), "received");
        Files.writeString(set.resolve(Journal.NAME), line("sluice-journal-2 " + TABLE.id()));
        assertThat(reasons())
                .containsExactly("it was not committed, and its journal is unreadable: line 1: 'sluice-journal-2 "
                        + TABLE.id() + "' (expected: sluice-journal-1 " + TABLE.id() + ")");
    }

    private static String line(String words) {
        CRC32 crc = new CRC32();
        crc.update(words.getBytes(StandardCharsets.UTF_8));
        return String.format(Locale.ROOT, "%s %08x%n", words, crc.getValue());
    }

    private List<String> reasons() throws IOException {
        try (StagingArea area = open(NODE)) {
            return area.recovered().findings().stream()
                    .map(RecoveryReport.Finding::reason)
                    .toList();
        }
    }

    @Test
    void uses_nothing_of_a_directory_that_was_copied_from_another_node() throws IOException {
        open(OTHER_NODE).close();
        Files.createDirectories(set);
        Files.writeString(set.resolve("commit"), "that of the other node");

        assertThat(decisions(NODE)).containsExactly(Decision.QUARANTINED);

        assertThat(staging.resolve("quarantine").resolve(PLAN.toString())).isDirectory();
        assertThat(Files.readString(staging.resolve("quarantine").resolve(PLAN + ".txt")))
                .contains("a copied data directory");
        Files.createDirectories(set);
        assertThat(decisions(NODE)).containsExactly(Decision.REMOVED); // it is this node's now
    }

    @Test
    void puts_a_set_aside_whose_files_are_live_without_a_commit_file() throws IOException {
        Descriptor descriptor = new Descriptor(Version.NB, new SSTableId.Sequence(41));
        SSTableFingerprint content = SSTableFingerprint.decode(List.of("Data.db:3:0000002a"));
        Journal.begin(new FileSystemDisk(), set, TABLE.id(), List.of(new Journal.Entry.Begun(descriptor, content)))
                .close();
        Files.writeString(store.liveDirectory(TABLE).resolve("nb-41-big-Data.db"), "abc");

        assertThat(decisions(NODE)).containsExactly(Decision.QUARANTINED);
    }

    private static List<byte[]> damaged(byte[] whole) {
        List<byte[]> all = new ArrayList<>();
        for (int i = 0; i < whole.length; i++) {
            all.add(java.util.Arrays.copyOf(whole, i));
            byte[] flipped = whole.clone();
            flipped[i] ^= 0x20;
            all.add(flipped);
        }
        return all;
    }

    @Test
    void starts_whatever_a_journal_or_commit_file_says_and_touches_nothing_outside() throws IOException {
        Path outside = Files.writeString(temp.resolve("outside"), "precious");
        CommitFile commit = new CommitFile(new UUID(5, 5), TABLE.id(), List.of(), List.of());
        List<byte[]> states = new ArrayList<>(damaged(commit.encode()));
        states.addAll(damaged(("sluice-journal-2 " + TABLE.id()).getBytes(StandardCharsets.UTF_8)));
        for (byte[] state : states) {
            Files.createDirectories(set);
            Files.write(set.resolve(state.length % 2 == 0 ? "commit" : "journal"), state);
            Files.write(set.resolve("nb-1-big-Data.db"), new byte[0]);
            Files.createSymbolicLink(set.resolve("nb-1-big-Index.db"), outside);
            Files.createSymbolicLink(set.resolveSibling("link"), temp);

            open(NODE).close();

            assertThat(outside).hasContent("precious");
        }
        assertThat(store.live()).isEmpty();
    }

    /** A tenth of it in every run; all of it in the long profile. */
    private Duration start(int sets, int files) throws IOException {
        for (int i = 0; i < sets; i++) {
            Path folder = Files.createDirectories(staging.resolve(new UUID(9, i).toString())
                    .resolve(TABLE.id().toString()));
            for (int j = 0; j < files; j++) {
                Files.createFile(folder.resolve("nb-" + j + "-big-Data.db"));
            }
        }
        long start = System.nanoTime();
        assertThat(decisions(NODE)).hasSize(sets + 1).containsOnly(Decision.REMOVED);
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    void starts_with_ten_thousand_leftover_files() throws IOException {
        assertThat(start(100, 100)).isLessThan(Duration.ofSeconds(30)); // 5 s on a machine that does nothing else
    }

    @Tag("soak")
    @Test
    void starts_with_a_hundred_thousand_leftover_files() throws IOException {
        assertThat(start(1_000, 100)).isLessThan(Duration.ofMinutes(5));
    }

    /** A disk of which one sync of names fails, and all later ones succeed: as a kernel does it. */
    private static final class OnceBroken implements ForwardingDisk {
        private final Disk real = new FileSystemDisk();
        boolean breaks;

        @Override
        public Disk real() {
            return real;
        }

        @Override
        public void syncDirectory(Path directory) throws IOException {
            if (breaks) {
                breaks = false;
                throw new IOException("Input/output error");
            }
            real.syncDirectory(directory);
        }
    }

    @Test
    void believes_a_volume_no_longer_of_which_a_sync_has_failed_until_it_is_opened_again() throws IOException {
        OnceBroken disk = new OnceBroken();
        try (StagingArea area = StagingArea.open(store, disk)) {
            area.scratch().reserve(1);
            disk.breaks = true;

            assertThatThrownBy(() -> area.begin(PLAN, TABLE))
                    .hasMessageContaining("sync the names in " + staging)
                    .hasMessageContaining("(EIO; the device is failing: see the kernel's log, and replace it)");

            assertThatThrownBy(() -> area.begin(PLAN, TABLE))
                    .hasMessageContaining("this volume is untrusted until the node restarts");
            assertThatThrownBy(() -> area.scratch().reserve(1)).hasMessageContaining("is untrusted");
            assertThat(area.untrustedReason())
                    .hasValueSatisfying(why -> assertThat(why).contains("EIO"));
            assertThat(store.failedDisks).hasSize(1);
        }
        try (StagingArea area = StagingArea.open(store, disk)) {
            area.scratch().reserve(1);
            assertThat(area.untrustedReason()).isEmpty();
        }
    }
}
