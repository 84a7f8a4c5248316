package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.streaming.store.TableStore.RecoveryReport;
import io.sluice.streaming.store.TableStore.RecoveryReport.Decision;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A thread that is interrupted while it opens a staging area: no file can be used on it until it is no longer so. */
class InterruptedStartTest {
    private static final StagingArea.Options OPTIONS = new StagingArea.Options(
            ReceivedSSTableCheck.opening(), StagingLimits.DEFAULTS, Optional.of(new UUID(8, 8)), UUID::randomUUID);
    private static final String RETAINED = new UUID(9, 9).toString();
    private static final int MAX_OPERATIONS = 1_000;

    @TempDir
    Path temp;

    @AfterEach
    void leave_no_interruption_to_others() {
        Thread.interrupted();
    }

    /** Interrupts the thread before its n-th operation. */
    private static final class InterruptingDisk implements BreakableDisk {
        private final Disk real = new FileSystemDisk();
        private final int at;
        private int operations;

        InterruptingDisk(int at) {
            this.at = at;
        }

        boolean hasInterrupted() {
            return operations >= at;
        }

        @Override
        public void before(String what, Path path) {
            if (++operations == at) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public Disk real() {
            return real;
        }

        @Override
        public long crc32(Path file, long offset, long lengthBytes) throws IOException {
            before("read", file);
            return real.crc32(file, offset, lengthBytes);
        }

        @Override
        public Closeable lock(Path file) throws IOException {
            before("lock", file);
            return real.lock(file);
        }
    }

    /** A committed set that is not live, and a retained one. */
    private static void leave(RecordingStore store) throws IOException {
        CrashedInstall.of(store);
        Path folder = Files.createDirectories(store.stagingDirectory()
                .resolve(RETAINED)
                .resolve(store.table.id().toString()));
        Descriptor descriptor = new Descriptor(Version.NB, new SSTableId.Sequence(400));
        SSTableFingerprint content = SSTableFingerprint.decode(List.of("Data.db:3:0000002a"));
        Journal.begin(
                        new FileSystemDisk(),
                        folder,
                        store.table.id(),
                        List.of(new Journal.Entry.Begun(descriptor, content)))
                .close();
    }

    private void interruptAtEach(List<String> volumes) throws IOException {
        for (int n = 1; n <= MAX_OPERATIONS; n++) {
            Path node = temp.resolve("node" + n);
            RecordingStore store = new RecordingStore(node.resolve("a"), CrashedInstall.table());
            store.others = volumes.stream().map(node::resolve).toList();
            leave(store);
            InterruptingDisk disk = new InterruptingDisk(n);

            List<Decision> ofFirstStart = decisionsOf(store, disk);

            assertThat(Thread.interrupted()).as("at operation %d", n).isEqualTo(disk.hasInterrupted());
            assertThat(store.failedDisks).as("at operation %d", n).isEmpty();
            assertThat(ofFirstStart).as("at operation %d", n).doesNotContain(Decision.WAITING, Decision.QUARANTINED);
            assertThat(decisionsOf(store, new FileSystemDisk()))
                    .as("at operation %d", n)
                    .contains(Decision.KEPT);
            assertThat(store.wentLive).as("at operation %d", n).contains(CrashedInstall.INSTALL);
            assertThat(liveFiles(store)).as("at operation %d", n).isEqualTo(3);
            if (!disk.hasInterrupted()) {
                assertThat(ofFirstStart).contains(Decision.FINISHED, Decision.KEPT);
                return;
            }
        }
        throw new AssertionError("still interrupted after " + MAX_OPERATIONS + " operations");
    }

    /** Of one start; none if it failed. */
    private static List<Decision> decisionsOf(RecordingStore store, Disk disk) {
        try (StagingArea area = StagingArea.open(store, disk, OPTIONS)) {
            return area.recovered().findings().stream()
                    .map(RecoveryReport.Finding::decision)
                    .toList();
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("the thread was interrupted");
            return List.of();
        }
    }

    private static long liveFiles(RecordingStore store) throws IOException {
        long found = 0;
        for (var volume : store.volumes()) {
            try (Stream<Path> files = Files.list(store.liveDirectory(store.table, volume))) {
                found += files.filter(file -> file.toString().endsWith("TOC.txt"))
                        .count();
            }
        }
        return found;
    }

    @Test
    void does_not_start_and_the_next_start_finds_everything_in_its_place() throws IOException {
        interruptAtEach(List.of());
    }

    @Test
    void reports_no_volume_as_failed() throws IOException {
        interruptAtEach(List.of("b", "c"));
    }
}
