package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.compression.Compressor;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.transfer.ModeSettings;
import io.sluice.streaming.transfer.NoProgress;
import io.sluice.streaming.transfer.OfferedSSTable;
import io.sluice.streaming.transfer.SSTableOffers;
import io.sluice.streaming.transfer.SourceRegion;
import io.sluice.streaming.transfer.block.Pinned;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rows land as one file, and become an SSTable before they count. Long because each step between the two may fail, on a
 * disk of its own.
 */
class RowsLandingTest {
    private static final UUID PLAN = new UUID(1, 1);
    private static final UUID SESSION = new UUID(2, 2);
    private static final TokenRanges HALF = TokenRanges.of(TokenRange.of(Long.MIN_VALUE, 0));

    @TempDir
    Path temp;

    private final TableRef table = new TableRef(new UUID(3, 3), "ks", "t");
    private int nextId = 500;

    private SSTable source() throws IOException {
        Path folder = temp.resolve("ks").resolve("t-00000000000000000000000000000001");
        return SSTable.open(folder, new Descriptor(Version.NB, new SSTableId.Sequence(1)));
    }

    @BeforeEach
    void make_the_source() throws IOException {
        Path folder = Files.createDirectories(temp.resolve("ks").resolve("t-00000000000000000000000000000001"));
        Files.createDirectories(temp.resolve("live"));
        var lz4 = WriterOptions.DEFAULTS.withCompression(CompressionParameters.of(Compressor.LZ4, 1 << 12));
        new DataSetWriter(new DataSet(3, 2_000, 5, 40), Version.NB, lz4).write(folder, 1);
    }

    /** As much room as wanted. */
    private static final SSTableOffers.SpaceLease ROOM = new SSTableOffers.SpaceLease() {
        @Override
        public void reserve(long lengthBytes) {}

        @Override
        public void release(long lengthBytes) {}
    };

    private OfferedSSTable offered() throws IOException {
        Path folder = Files.createTempDirectory(temp, "offers");
        SSTableOffers offers = new SSTableOffers(
                new FileSystemDisk(), folder, ROOM, new ModeSettings(false, false), Runnable::run, new NoProgress());
        NoProgress.prepare(offers, Pinned.of(table, List.of(source())), HALF);
        assertThat(offers.offers()).hasSize(1);
        assertThat(offers.offers().get(0).offer().choice().mode()).isEqualTo(TransferMode.ROWS);
        return offers.offers().get(0);
    }

    private StagedSet.Landing land(StagedSet set, OfferedSSTable offered) throws IOException {
        SSTableOffer offer = offered.offer();
        StagedSet.Landing landing =
                set.land(SESSION, offer, () -> new Descriptor(Version.NB, new SSTableId.Sequence(nextId++)));
        if (landing.held().isEmpty()) {
            int length = (int) offer.lengthBytes();
            Extent all = new Extent(offer.number(), Component.PART, 0, length);
            ByteBuffer bytes = ByteBuffer.allocate(length);
            for (SourceRegion piece : offered.regions(all)) {
                try (FileChannel file = FileChannel.open(piece.file())) {
                    file.read(bytes.limit(bytes.position() + (int) piece.lengthBytes()), piece.offset());
                }
            }
            CRC32 crc = new CRC32();
            crc.update(bytes.flip().duplicate());
            assertThat(crc.getValue())
                    .isEqualTo(offer.manifest(Component.PART).orElseThrow().crc32());
            try (DiskFile file = set.open(landing.descriptor(), Component.PART)) {
                file.writeFully(bytes, 0);
            }
            set.landed(landing.descriptor(), all, crc.getValue());
        }
        return landing;
    }

    private List<SSTable> live() throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : new TableDirectory(temp.resolve("live"), "ks", "t", table.id()).descriptors()) {
            sstables.add(SSTable.open(temp.resolve("live"), descriptor));
        }
        return sstables;
    }

    private void assertRowsAreLive() throws IOException {
        assertThat(live()).hasSize(1);
        assertThat(ContentDigest.of(live(), TokenRanges.FULL)).isEqualTo(ContentDigest.of(List.of(source()), HALF));
    }

    @Test
    void rows_become_an_sstable_and_their_file_goes() throws IOException {
        try (StagingArea area = StagingArea.open(new Store(), new FileSystemDisk())) {
            StagedSet set = area.begin(PLAN, table);
            OfferedSSTable offered = offered();
            StagedSet.Landing landing = land(set, offered);
            long length = offered.offer().lengthBytes();
            assertThat(landing.roomBytes()).isEqualTo(Map.of(Component.PART, length, Component.DATA, length));

            set.stage(SESSION, landing.descriptor(), offered.offer(), HALF);
            area.install(set, UUID.randomUUID());
            area.end(PLAN);

            assertRowsAreLive();
            assertThat(OrphanedFiles.of(area)).isEmpty();
        }
    }

    @Test
    void rows_that_take_long_to_become_an_sstable_show_progress() throws IOException {
        try (StagingArea area = StagingArea.open(new Store(), new FileSystemDisk())) {
            StagedSet set = area.begin(PLAN, table);
            OfferedSSTable offered = offered();
            StagedSet.Landing landing = land(set, offered);
            AtomicInteger steps = new AtomicInteger();

            set.stage(
                    SESSION,
                    landing.descriptor(),
                    offered.offer(),
                    new StagedSet.Wanted(HALF, true),
                    steps::incrementAndGet);

            assertThat(steps).as("more than one for each file").hasValueGreaterThan(10);
        }
    }

    @Test
    void retained_extents_are_counted_and_left_alone_when_the_session_is_over() throws IOException {
        OfferedSSTable offered = offered();
        try (StagingArea area = StagingArea.open(new Store(), new FileSystemDisk())) {
            StagedSet set = area.begin(PLAN, table);
            land(set, offered);
            set.release(SESSION);
            area.abandon(set);
        }
        try (StagingArea area = StagingArea.open(new Store(), new FileSystemDisk())) { // after a restart
            StagedSet set = area.begin(PLAN, table);
            StreamException over = new StreamException(ErrorCode.CANCELLED, "the session is over");
            StagedSet.NewDescriptor none = () -> {
                throw new AssertionError("the files of before are used");
            };
            assertThatThrownBy(() -> set.land(SESSION, offered.offer(), none, () -> {
                        throw over;
                    }))
                    .isSameAs(over);
            set.release(SESSION);
            AtomicInteger steps = new AtomicInteger();

            StagedSet.Landing again = set.land(SESSION, offered.offer(), none, steps::incrementAndGet);

            assertThat(again.held()).hasSize(1);
            assertThat(steps).hasValue(1);
        }
    }

    @Test
    void what_an_interrupted_attempt_wrote_is_in_nobodys_way() throws IOException {
        try (StagingArea area = StagingArea.open(new Store(), new FileSystemDisk())) {
            StagedSet set = area.begin(PLAN, table);
            OfferedSSTable offered = offered();
            StagedSet.Landing landing = land(set, offered);
            for (Component component : List.of(Component.DATA, Component.CRC, Component.TOC)) {
                String name = landing.descriptor().fileName(component);
                Files.writeString(set.folders().get(0).path().resolve(name), "half of something");
                Files.writeString(set.folders().get(0).path().resolve(name + ".tmp"), "half of something");
            }

            set.stage(SESSION, landing.descriptor(), offered.offer(), HALF);
            area.install(set, UUID.randomUUID());

            assertRowsAreLive();
        }
    }

    @Test
    void rows_that_a_disk_refused_to_take_need_not_travel_again() throws IOException {
        ReceivedSSTableCheck full = new ReceivedSSTableCheck() {
            @Override
            public Optional<Bytes> check(
                    Path directory, Descriptor descriptor, SSTableOffer offer, TokenRanges ranges) {
                throw new AssertionError("nothing was made");
            }

            @Override
            public boolean makeSSTable(Disk disk, Path part, Path directory, Descriptor descriptor, TokenRanges ranges)
                    throws IOException {
                throw new IOException("injected: no space left");
            }
        };
        try (StagingArea area = StagingArea.open(
                new Store(), new FileSystemDisk(), new StagingArea.Options(full, StagingLimits.DEFAULTS))) {
            StagedSet set = area.begin(PLAN, table);
            OfferedSSTable offered = offered();
            StagedSet.Landing landing = land(set, offered);

            assertThatThrownBy(() -> set.stage(SESSION, landing.descriptor(), offered.offer(), HALF))
                    .hasMessage("injected: no space left");
            set.release(SESSION);
            area.abandon(set);
        }
        try (StagingArea area = StagingArea.open(new Store(), new FileSystemDisk())) { // after a restart
            StagedSet set = area.begin(PLAN, table);
            OfferedSSTable offered = offered();
            StagedSet.Landing landing = land(set, offered);
            assertThat(landing.roomBytes()).containsEntry(Component.PART, 0L);

            set.stage(SESSION, landing.descriptor(), offered.offer(), HALF);
            area.install(set, UUID.randomUUID());

            assertRowsAreLive();
        }
    }

    @Test
    void rows_whose_sstable_cannot_be_opened_are_fetched_again_as_their_file_is_gone() throws IOException {
        ReceivedSSTableCheck failsOnce = new ReceivedSSTableCheck() {
            private boolean hasFailed;

            @Override
            public Optional<Bytes> check(Path directory, Descriptor descriptor, SSTableOffer offer, TokenRanges ranges)
                    throws IOException {
                if (!hasFailed) {
                    hasFailed = true;
                    throw new IOException("injected: cannot be opened");
                }
                return Optional.empty();
            }
        };
        try (StagingArea area = StagingArea.open(
                new Store(), new FileSystemDisk(), new StagingArea.Options(failsOnce, StagingLimits.DEFAULTS))) {
            StagedSet set = area.begin(PLAN, table);
            OfferedSSTable offered = offered();
            StagedSet.Landing first = land(set, offered);
            assertThatThrownBy(() -> set.stage(SESSION, first.descriptor(), offered.offer(), HALF))
                    .hasMessage("injected: cannot be opened");
            set.release(SESSION);

            StagedSet.Landing second = land(set, offered);

            assertThat(second.held()).isEmpty();
            set.stage(SESSION, second.descriptor(), offered.offer(), HALF);
            area.install(set, UUID.randomUUID());
            assertRowsAreLive();
        }
    }

    /** A disk of which one sync fails, and all later ones succeed: as a kernel does it. */
    private static final class OnceUnsynced implements ForwardingDisk {
        private final Disk real = new FileSystemDisk();
        private final String end;
        private boolean breaks;

        OnceUnsynced(String end) {
            this.end = end;
        }

        @Override
        public Disk real() {
            return real;
        }

        private void sync(Path path) throws IOException {
            if (breaks && path.toString().endsWith(end)) {
                breaks = false;
                throw new IOException("Input/output error");
            }
        }

        @Override
        public void syncFile(Path file) throws IOException {
            sync(file);
            real.syncFile(file);
        }

        @Override
        public void syncDirectory(Path directory) throws IOException {
            sync(directory);
            real.syncDirectory(directory);
        }
    }

    @Test
    void a_failed_sync_of_the_names_that_rows_became_is_final() throws IOException {
        OnceUnsynced disk = new OnceUnsynced(table.id().toString());
        try (StagingArea area = StagingArea.open(new Store(), disk)) {
            StagedSet set = area.begin(PLAN, table);
            OfferedSSTable offered = offered();
            StagedSet.Landing landing = land(set, offered);
            disk.breaks = true;

            assertThatThrownBy(() -> set.stage(SESSION, landing.descriptor(), offered.offer(), HALF))
                    .hasMessageContaining(
                            "sync the names in " + set.folders().get(0).path());

            assertThat(area.untrustedReason()).isPresent();
            assertThatThrownBy(() -> set.stage(SESSION, landing.descriptor(), offered.offer(), HALF))
                    .hasMessageContaining("this volume is untrusted until the node restarts");
            assertThatThrownBy(() -> area.install(set, UUID.randomUUID())).hasMessageContaining("is untrusted");
            assertThat(live()).isEmpty();
        }
    }

    @Test
    void what_a_failed_sync_may_have_lost_of_an_sstable_of_rows_is_written_again() throws IOException {
        OnceUnsynced disk = new OnceUnsynced(Component.DATA.fileName() + ".tmp");
        try (StagingArea area = StagingArea.open(new Store(), disk)) {
            StagedSet set = area.begin(PLAN, table);
            OfferedSSTable offered = offered();
            StagedSet.Landing landing = land(set, offered);
            disk.breaks = true;

            assertThatThrownBy(() -> set.stage(SESSION, landing.descriptor(), offered.offer(), HALF))
                    .hasMessageContaining("sync")
                    .hasMessageContaining(Component.DATA.fileName());

            assertThat(area.untrustedReason()).isEmpty();
            try (Stream<Path> left = Files.list(set.folders().get(0).path())) {
                assertThat(left.map(path -> path.getFileName().toString()))
                        .containsExactlyInAnyOrder(
                                Journal.NAME, landing.descriptor().fileName(Component.PART));
            }
            set.stage(SESSION, landing.descriptor(), offered.offer(), HALF);
            area.install(set, UUID.randomUUID());

            assertRowsAreLive();
        }
    }

    @Test
    void rows_become_an_sstable_at_the_next_try_whichever_operation_of_the_disk_fails() throws IOException {
        OfferedSSTable offered = offered();
        for (int n = 1; n < 500; n += 3) { // each n of a whole plan: DiskSweepTest
            FaultyDisk disk = FaultyDisk.failingOnceAt(n);
            boolean hasFailed = tryOnceOrTwice(disk, offered);
            assertRowsAreLive();
            assertThat(live()).hasSize(1);
            for (Path file : filesOf(temp.resolve("live"))) {
                Files.delete(file);
            }
            if (!hasFailed) {
                assertThat(n).isGreaterThan(60); // so many operations there are at least
                return;
            }
        }
        throw new AssertionError("more than 500 operations");
    }

    /** Whether the disk has failed; whatever it did, a start after that on a well disk is enough. */
    private boolean tryOnceOrTwice(FaultyDisk disk, OfferedSSTable offered) throws IOException {
        try (StagingArea area = StagingArea.open(new Store(), disk)) {
            installRows(area, offered);
        } catch (IOException | StreamException failed) {
            assertThat(failed).hasStackTraceContaining("injected: ");
        }
        if (disk.hasFailed()) {
            try (StagingArea area = StagingArea.open(new Store(), new FileSystemDisk())) {
                if (live().isEmpty()) {
                    installRows(area, offered);
                }
                assertThat(OrphanedFiles.of(area)).isEmpty();
            }
        }
        return disk.hasFailed();
    }

    private void installRows(StagingArea area, OfferedSSTable offered) throws IOException {
        StagedSet set = area.begin(PLAN, table);
        try {
            StagedSet.Landing landing = land(set, offered);
            set.stage(SESSION, landing.descriptor(), offered.offer(), HALF);
            area.install(set, UUID.randomUUID());
            area.end(PLAN);
        } finally {
            set.close();
        }
    }

    private static List<Path> filesOf(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    @Test
    void rows_of_a_damaged_chunk_are_not_staged() throws IOException {
        Path data = source().path(Component.DATA);
        byte[] bytes = Files.readAllBytes(data);
        bytes[bytes.length / 4] ^= 1;
        Files.write(data, bytes);
        try (StagingArea area = StagingArea.open(new Store(), new FileSystemDisk())) {
            StagedSet set = area.begin(PLAN, table);
            OfferedSSTable offered = offered();
            StagedSet.Landing landing = land(set, offered);

            assertThatThrownBy(() -> set.stage(SESSION, landing.descriptor(), offered.offer(), HALF))
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_AT_SOURCE));
            area.install(set, UUID.randomUUID());

            assertThat(live()).isEmpty();
        }
    }

    @Test
    void rows_that_were_not_asked_for_are_not_staged() throws IOException {
        try (StagingArea area = StagingArea.open(new Store(), new FileSystemDisk())) {
            StagedSet set = area.begin(PLAN, table);
            OfferedSSTable offered = offered();
            StagedSet.Landing landing = land(set, offered);

            assertThatThrownBy(() -> set.stage(
                            SESSION,
                            landing.descriptor(),
                            offered.offer(),
                            TokenRanges.of(TokenRange.of(Long.MIN_VALUE, Long.MIN_VALUE / 2))))
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OUT_OF_RANGE));
        }
    }

    /** One table; what becomes live lies in a folder. */
    private final class Store implements TableStore {
        @Override
        public Optional<TableRef> table(UUID tableId) {
            return Optional.of(table).filter(known -> known.id().equals(tableId));
        }

        @Override
        public PinnedTable pin(UUID planId, TableRef wanted, TokenRanges ranges) throws IOException {
            throw new IOException("nothing is sent from here");
        }

        @Override
        public Path liveDirectory(TableRef wanted) {
            return temp.resolve("live");
        }

        @Override
        public Path stagingDirectory() {
            return temp.resolve("staging");
        }

        @Override
        public String newId(TableRef wanted) {
            return String.valueOf(nextId++);
        }

        @Override
        public void activate(UUID installId, TableRef wanted, List<Path> dataFiles) {
            // The test looks at the folder.
        }
    }
}
