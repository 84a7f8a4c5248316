package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.AttachedFile;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.AttachedFiles;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.transfer.block.WholeSSTables;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What comes attached to an SSTable lands as one file, and is made files of before it counts. */
class AttachedLandingTest {
    private static final UUID PLAN = new UUID(1, 1);
    private static final UUID SESSION = new UUID(2, 2);
    private static final TableRef TABLE = new TableRef(new UUID(3, 3), "ks", "t");
    private static final AttachedFile META = new AttachedFile("SAI+aa+by_name+Meta.db");
    private static final AttachedFile SCYLLA = new AttachedFile("Scylla.db");
    private static final byte[] CONTENT = {1, 2, 3, 4, 5};

    @TempDir
    Path temp;

    private int folders;
    private SSTable source;

    @BeforeEach
    void make_the_source() throws IOException {
        Path folder = Files.createDirectories(temp.resolve("source"));
        source = SSTable.open(
                folder,
                new DataSetWriter(new DataSet(3, 100, 5, 40), Version.NB, WriterOptions.DEFAULTS)
                        .write(folder, 1)
                        .get(0));
    }

    private static AttachedFiles files(String... indexes) {
        CRC32 crc = new CRC32();
        crc.update(CONTENT);
        return new AttachedFiles(
                List.of(
                        new AttachedFiles.Entry(META, CONTENT.length, crc.getValue()),
                        new AttachedFiles.Entry(SCYLLA, 0, 0)),
                new TreeSet<>(List.of(indexes)));
    }

    private static byte[] join(byte[] header, byte[] content) {
        byte[] all = Arrays.copyOf(header, header.length + content.length);
        System.arraycopy(content, 0, all, header.length, content.length);
        return all;
    }

    private SSTableOffer offer(TransferMode mode, byte[] attached) throws IOException {
        CRC32 crc = new CRC32();
        crc.update(attached);
        return WholeSSTables.offer(TABLE, source, new ModeChoice(mode, "test"), 0, WholeSSTables.buffer(), () -> {})
                .and(new ComponentManifest(Component.ATTACHED, attached.length, crc.getValue()));
    }

    private StagedSet.Landing land(StagedSet set, RecordingStore store, SSTableOffer offer, byte[] attached)
            throws IOException {
        StagedSet.Landing landing = set.land(SESSION, offer, () -> store.newDescriptor(offer));
        for (ComponentManifest manifest : offer.components()) {
            byte[] bytes = manifest.component() == Component.ATTACHED
                    ? attached
                    : Files.readAllBytes(source.path(manifest.component()));
            CRC32 crc = new CRC32();
            crc.update(bytes);
            try (DiskFile file = set.open(landing.descriptor(), manifest.component())) {
                file.writeFully(ByteBuffer.wrap(bytes), 0);
            }
            Extent extent = new Extent(0, manifest.component(), 0, bytes.length);
            set.landed(landing.descriptor(), extent, crc.getValue());
        }
        return landing;
    }

    /** As that of some systems, where a.db is A.db. */
    private record CaselessDisk(Disk real) implements ForwardingDisk {
        private static Path caseless(Path file) {
            return file.resolveSibling(file.getFileName().toString().toLowerCase(Locale.ROOT));
        }

        @Override
        public DiskFile create(Path file) throws IOException {
            return real.create(caseless(file));
        }

        @Override
        public void delete(Path file) throws IOException {
            real.delete(caseless(file));
        }
    }

    @Test
    void names_that_differ_only_in_case_are_two_files_or_a_failure() throws IOException {
        AttachedFiles files = new AttachedFiles(
                List.of(
                        new AttachedFiles.Entry(new AttachedFile("SI_by_name.db"), 0, 0),
                        new AttachedFiles.Entry(new AttachedFile("SI_By_Name.db"), 0, 0)),
                new TreeSet<>());
        Path attached = Files.write(temp.resolve("attached"), files.encode());
        Descriptor descriptor = source.descriptor();
        Path folder = Files.createDirectories(temp.resolve("unpacked"));

        UnpackedFiles.make(new FileSystemDisk(), attached, folder, descriptor);

        try (Stream<Path> made = Files.list(folder)) {
            assertThat(made).hasSize(2);
        }
        assertThatThrownBy(
                        () -> UnpackedFiles.make(new CaselessDisk(new FileSystemDisk()), attached, folder, descriptor))
                .isInstanceOf(FileAlreadyExistsException.class);
    }

    private RecordingStore store() throws IOException {
        Path root = temp.resolve("node" + folders++);
        return new RecordingStore(root, TABLE);
    }

    private Descriptor install(RecordingStore store, Disk disk, byte[] attached) throws IOException {
        try (StagingArea area = StagingArea.open(store, disk)) {
            StagedSet set = area.begin(PLAN, store.table);
            SSTableOffer offer = offer(TransferMode.WHOLE, attached);
            StagedSet.Landing landing = land(set, store, offer, attached);
            set.stage(SESSION, landing.descriptor(), offer, TokenRanges.FULL);
            area.install(set, UUID.randomUUID());
            area.end(PLAN);
            return landing.descriptor();
        }
    }

    private static void assertIsLive(RecordingStore store, Descriptor descriptor) throws IOException {
        SSTable live = SSTable.open(store.liveDirectory(store.table), descriptor);
        assertThat(live.attached()).containsOnlyKeys(META, SCYLLA);
        assertThat(Files.readAllBytes(live.path(META))).isEqualTo(CONTENT);
    }

    @Test
    void becomes_live_with_the_sstable_and_is_listed() throws IOException {
        RecordingStore store = store();

        Descriptor descriptor = install(store, new FileSystemDisk(), join(files().encode(), CONTENT));

        assertIsLive(store, descriptor);
        assertThat(store.builtIndexes).isEmpty();
    }

    @Test
    void names_indexes_that_the_database_is_to_build_also_after_a_crash() throws IOException {
        RecordingStore store = store();
        store.buildsIndexes = true;
        store.failGoLive = true;
        assertThatThrownBy(() -> install(
                        store, new FileSystemDisk(), join(files("by_age").encode(), CONTENT)))
                .isInstanceOf(IOException.class);
        store.failGoLive = false;
        store.builtIndexes.clear();

        StagingArea.open(store, new FileSystemDisk()).close();

        assertThat(store.builtIndexes).containsExactly("by_age");
    }

    @Test
    void is_refused_if_it_says_that_this_node_builds_what_it_does_not() throws IOException {
        RecordingStore store = store();

        assertThatThrownBy(() -> install(
                        store, new FileSystemDisk(), join(files("by_age").encode(), CONTENT)))
                .isInstanceOfSatisfying(
                        StreamException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ErrorCode.PROTOCOL))
                .hasMessageContaining("[by_age], which this node does not build");
    }

    @Test
    void is_refused_if_files_of_the_whole_come_with_a_part() throws IOException {
        RecordingStore store = store();
        byte[] attached = join(files().encode(), CONTENT);
        SSTableOffer offer = offer(TransferMode.SLICE, attached);
        try (StagingArea area = StagingArea.open(store, new FileSystemDisk())) {
            StagedSet set = area.begin(PLAN, store.table);
            StagedSet.Landing landing = land(set, store, offer, attached);

            assertThatThrownBy(() -> set.stage(SESSION, landing.descriptor(), offer, TokenRanges.FULL))
                    .isInstanceOfSatisfying(
                            StreamException.class,
                            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.PROTOCOL))
                    .hasMessageContaining(META.name());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "no header", "\0\0\0\10\0\0\0\0\0\0\0\0\0\0\0\0", "\377\377\377\377"})
    void is_refused_if_it_is_malformed(String content) throws IOException {
        byte[] bytes = ("x" + content).getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
        byte[] attached = content.isEmpty() ? bytes : Arrays.copyOfRange(bytes, 1, bytes.length);

        assertRefused(attached);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1, 2})
    void is_refused_if_its_files_are_not_what_its_header_says(int change) throws IOException {
        ByteArrayOutputStream attached = new ByteArrayOutputStream();
        attached.write(files().encode());
        attached.write(change == 2 ? new byte[CONTENT.length] : Arrays.copyOf(CONTENT, CONTENT.length + change));

        assertRefused(attached.toByteArray());
    }

    private void assertRefused(byte[] attached) throws IOException {
        RecordingStore store = store();

        assertThatThrownBy(() -> install(store, new FileSystemDisk(), attached))
                .isInstanceOfSatisfying(
                        StreamException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ErrorCode.CORRUPT_AT_SOURCE))
                .hasMessageContaining("Attached.db");
        assertThat(store.liveDirectory(store.table)).isEmptyDirectory();
    }

    @Test
    void is_live_whole_or_not_at_all_whichever_operation_of_the_disk_fails() throws IOException {
        byte[] attached = join(files().encode(), CONTENT);
        for (int n = 1; n < 500; n += 3) {
            RecordingStore store = store();
            FaultyDisk disk = FaultyDisk.failingOnceAt(n);
            try {
                install(store, disk, attached);
            } catch (IOException | StreamException failed) {
                assertThat(failed).hasStackTraceContaining("injected: ");
            }
            if (disk.hasFailed() && store.wentLive.isEmpty()) {
                StagingArea.open(store, new FileSystemDisk()).close(); // finishes what was committed
                if (store.wentLive.isEmpty()) {
                    install(store, new FileSystemDisk(), attached);
                }
            }
            List<Path> tocs;
            try (var live = Files.list(store.liveDirectory(store.table))) {
                tocs = live.filter(file -> file.toString().endsWith("TOC.txt")).toList();
            }
            assertThat(tocs).as("fault at operation %d", n).hasSize(1);
            assertIsLive(
                    store,
                    Descriptor.ofFile(tocs.get(0).getFileName().toString()).orElseThrow());
            if (!disk.hasFailed()) {
                assertThat(n).isGreaterThan(60);
                return;
            }
        }
        throw new AssertionError("more than 500 operations");
    }
}
