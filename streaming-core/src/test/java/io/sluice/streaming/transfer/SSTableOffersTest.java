package io.sluice.streaming.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.AttachedFile;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.compression.Compressor;
import io.sluice.sstable.data.Cell;
import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.Column;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.sstable.type.CqlType.Scalar;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.ForwardingDisk;
import io.sluice.streaming.install.ForwardingFile;
import io.sluice.streaming.message.AttachedFiles;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.ReceiverFeatures;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.transfer.block.OpenedTable;
import io.sluice.streaming.transfer.block.Pinned;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Long because order, space and failures of preparation share these tables. */
class SSTableOffersTest {
    /** As much room as wanted. */
    private static final SSTableOffers.SpaceLease ROOM = new SSTableOffers.SpaceLease() {
        @Override
        public void reserve(long lengthBytes) {}

        @Override
        public void release(long lengthBytes) {}
    };

    private static final TableRef TABLE = new TableRef(new UUID(3, 3), "ks", "t");
    private static final TokenRanges HALF = TokenRanges.of(TokenRange.of(Long.MIN_VALUE, 0));

    @TempDir
    Path temp;

    /** An SSTable that lists {@code component} in its TOC.txt. */
    private SSTable sourceWith(String component) throws IOException {
        var written = new DataSetWriter(new DataSet(3, 500, 5, 40), Version.NB, WriterOptions.DEFAULTS).write(temp, 1);
        SSTable plain = SSTable.open(temp, written.get(0));
        Files.writeString(plain.path(Component.TOC), component + "\n", StandardOpenOption.APPEND);
        return SSTable.open(temp, written.get(0));
    }

    private SSTableOffers offersTo(ReceiverFeatures receiver, boolean slices) {
        return new SSTableOffers(
                new LocalFiles(),
                temp.resolve("offers"),
                ROOM,
                new ModeSettings(true, slices, receiver),
                Runnable::run,
                new NoProgress());
    }

    @ParameterizedTest
    @CsvSource({
        "SAI+aa+by_name+Meta.db, by_name, true, true, false",
        "SAI+aa+by_name+Meta.db, by_name, false, true, true",
        "SAI+aa+by_name+Meta.db, by_name, false, false, true",
        "SI_users_by_name.db, users_by_name, true, true, false"
    })
    void a_table_with_indexes_that_would_be_lost_is_refused_by_their_names(
            String file, String index, boolean isAll, boolean slices, boolean takesAttached) throws IOException {
        SSTable source = sourceWith(file);
        SSTableOffers offers = offersTo(new ReceiverFeatures(takesAttached, false), slices);
        TokenRanges wanted = isAll ? TokenRanges.FULL : HALF;

        assertThatThrownBy(() -> NoProgress.prepare(offers, Pinned.of(TABLE, List.of(source)), wanted))
                .isInstanceOfSatisfying(
                        StreamException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_WHOLE))
                .hasMessageContaining("secondary indexes, [" + index + "]")
                .hasMessageContaining("rop the indexes, stream, and create them again");
        assertThat(offers.offers()).isEmpty();
    }

    @Test
    void a_table_of_an_older_receiver_comes_without_files_that_are_of_no_index() throws IOException {
        SSTable source = sourceWith("Scylla.db");
        Files.write(source.path(new AttachedFile("Scylla.db")), new byte[] {1});
        SSTableOffers offers = offersTo(ReceiverFeatures.NONE, true);

        NoProgress.prepare(
                offers,
                Pinned.of(TABLE, List.of(SSTable.open(source.directory(), source.descriptor()))),
                TokenRanges.FULL);

        assertThat(offers.offers().get(0).offer().manifest(Component.ATTACHED)).isEmpty();
    }

    @Test
    void what_lies_beside_a_whole_sstable_is_offered_as_one_file() throws IOException {
        SSTable source = sourceWith("SAI+aa+by_name+Meta.db\nScylla.db");
        Files.write(source.path(new AttachedFile("SAI+aa+by_name+Meta.db")), new byte[] {1, 2, 3});
        Files.write(source.path(new AttachedFile("Scylla.db")), new byte[0]);
        SSTableOffers offers = offersTo(new ReceiverFeatures(true, false), true);

        NoProgress.prepare(
                offers,
                Pinned.of(TABLE, List.of(SSTable.open(source.directory(), source.descriptor()))),
                TokenRanges.FULL);

        OfferedSSTable offered = offers.offers().get(0);
        ComponentManifest manifest =
                offered.offer().manifest(Component.ATTACHED).orElseThrow();
        byte[] bytes = bytes(offered.regions(new Extent(0, Component.ATTACHED, 0, (int) manifest.lengthBytes())));
        assertThat(Arrays.copyOfRange(bytes, bytes.length - 3, bytes.length)).containsExactly(1, 2, 3);
        AttachedFiles header = AttachedFiles.decode(Arrays.copyOf(bytes, bytes.length - 3));
        assertThat(header.files().stream().map(AttachedFiles.Entry::file))
                .containsExactly(new AttachedFile("SAI+aa+by_name+Meta.db"), new AttachedFile("Scylla.db"));
        assertThat(header.indexes()).isEmpty();
        CRC32 crc = new CRC32();
        crc.update(bytes);
        assertThat(crc.getValue()).isEqualTo(manifest.crc32());
        assertThat(offered.paths())
                .contains(source.path(new AttachedFile("SAI+aa+by_name+Meta.db")), source.path(Component.DATA));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_part_names_the_indexes_that_the_receiver_is_to_build(boolean slices) throws IOException {
        SSTable source = sourceWith("SAI+aa+by_name+Meta.db\nSAI+aa+GroupMeta.db\nScylla.db");
        SSTableOffers offers = offersTo(new ReceiverFeatures(true, true), slices);

        NoProgress.prepare(offers, Pinned.of(TABLE, List.of(source)), HALF);

        OfferedSSTable offered = offers.offers().get(0);
        long length = offered.offer().manifest(Component.ATTACHED).orElseThrow().lengthBytes();
        byte[] bytes = bytes(offered.regions(new Extent(0, Component.ATTACHED, 0, (int) length)));
        assertThat(AttachedFiles.decode(bytes).files()).isEmpty();
        assertThat(AttachedFiles.decode(bytes).indexes()).containsExactly("by_name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SAI+aa+by_name+TermsData.db", "SAI+aa+GroupMeta.db"})
    void an_index_of_which_a_file_is_gone_is_not_sent_as_if_it_were_whole(String gone) throws IOException {
        SSTable source = sourceWith("SAI+aa+by_name+Meta.db\nSI_by_age.db\n" + gone);
        Files.write(source.path(new AttachedFile("SAI+aa+by_name+Meta.db")), new byte[] {1, 2, 3});
        Files.write(source.path(new AttachedFile("SI_by_age.db")), new byte[] {4});
        SSTable opened = SSTable.open(source.directory(), source.descriptor());
        SSTableOffers offers = offersTo(new ReceiverFeatures(true, false), true);

        assertThatThrownBy(() -> NoProgress.prepare(offers, Pinned.of(TABLE, List.of(opened)), TokenRanges.FULL))
                .isInstanceOfSatisfying(
                        StreamException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_WHOLE))
                .hasMessageContaining("secondary indexes beside it, [by_name], of which files are missing");
        assertThat(offers.offers()).isEmpty();
    }

    @Test
    void an_index_of_which_a_file_is_gone_is_built_by_a_receiver_that_can() throws IOException {
        SSTable source = sourceWith("SAI+aa+by_name+Meta.db\nSAI+aa+by_name+TermsData.db\nSI_by_age.db");
        Files.write(source.path(new AttachedFile("SAI+aa+by_name+Meta.db")), new byte[] {1, 2, 3});
        Files.write(source.path(new AttachedFile("SI_by_age.db")), new byte[] {4});
        SSTableOffers offers = offersTo(new ReceiverFeatures(true, true), true);

        NoProgress.prepare(
                offers,
                Pinned.of(TABLE, List.of(SSTable.open(source.directory(), source.descriptor()))),
                TokenRanges.FULL);

        OfferedSSTable offered = offers.offers().get(0);
        long length = offered.offer().manifest(Component.ATTACHED).orElseThrow().lengthBytes();
        byte[] bytes = bytes(offered.regions(new Extent(0, Component.ATTACHED, 0, (int) length)));
        AttachedFiles header = AttachedFiles.decode(Arrays.copyOf(bytes, bytes.length - 1));
        assertThat(header.files().stream().map(AttachedFiles.Entry::file))
                .containsExactly(new AttachedFile("SI_by_age.db"));
        assertThat(header.indexes()).containsExactly("by_name");
    }

    /** The database's word is not taken for it. */
    @Test
    void a_path_of_the_database_that_is_no_data_file_ends_the_table_and_names_it() {
        Path index = temp.resolve("nb-1-big-Index.db");

        for (Path bad : List.of(index, temp.resolve("Data.db"), temp.resolve("zz-1-big-Data.db"))) {
            assertThatThrownBy(() -> OpenedTable.open(bad))
                    .isInstanceOfSatisfying(
                            StreamException.class,
                            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.INTERNAL))
                    .hasMessage("the database pinned " + bad
                            + " (expected: the path of a Data.db file, such as nb-1-big-Data.db)");
        }
    }

    private static byte[] bytes(List<SourceRegion> regions) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (SourceRegion region : regions) {
            byte[] file = Files.readAllBytes(region.file());
            bytes.write(file, (int) region.offset(), (int) region.lengthBytes());
        }
        return bytes.toByteArray();
    }

    /** Receives what happens, and ends the preparation at some step. */
    private static final class Heard implements Offers.Progress {
        final List<Integer> offered = new ArrayList<>();
        final List<Offers.Replaced> replaced = new ArrayList<>();
        private final int lastStep;
        private int steps;
        private int stepsBeforeRoom;

        Heard(int lastStep) {
            this.lastStep = lastStep;
        }

        @Override
        public synchronized void step() {
            if (++steps > lastStep) {
                throw new IllegalStateException("nobody waits any more");
            }
        }

        @Override
        public void keeps(int sections) {}

        @Override
        public synchronized boolean hasRoom(long lengthBytes) {
            stepsBeforeRoom = stepsBeforeRoom == 0 ? steps : stepsBeforeRoom;
            return true;
        }

        @Override
        public boolean frees() {
            return false;
        }

        @Override
        public void offered(OfferedSSTable sstable, long temporaryBytes) {
            offered.add(sstable.offer().number());
        }

        @Override
        public synchronized void replaced(Offers.Replaced damaged) {
            replaced.add(damaged);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"without keys", "cut"})
    void a_damaged_filter_of_a_source_is_made_again_for_its_slice_and_reported(String damage) throws IOException {
        SSTable source = source();
        Path filter = source.path(Component.FILTER);
        byte[] bytes = Files.readAllBytes(filter);
        int wordsFrom = 2 * Integer.BYTES;
        Arrays.fill(bytes, wordsFrom, bytes.length, (byte) 0);
        Files.write(filter, damage.equals("cut") ? Arrays.copyOf(bytes, bytes.length - 8) : bytes);
        Heard heard = new Heard(Integer.MAX_VALUE);

        SSTableOffers offers = offers(new ModeSettings(true, true), heard);
        NoProgress.prepare(
                offers, Pinned.of(TABLE, List.of(SSTable.open(source.directory(), source.descriptor()))), HALF);

        OfferedSSTable slice = offers.offers().get(0);
        assertThat(slice.offer().choice().mode()).isEqualTo(TransferMode.SLICE);
        assertThat(Files.readAllBytes(slice.directory().resolve(slice.files().fileName(Component.FILTER))))
                .isNotEqualTo(Files.readAllBytes(filter));
        assertThat(heard.replaced).singleElement().satisfies(replaced -> {
            assertThat(replaced.component()).isEqualTo(Component.FILTER);
            assertThat(replaced.problem()).contains(filter.toString());
        });
    }

    private SSTableOffers offers(ModeSettings modes, Heard heard) {
        return new SSTableOffers(new LocalFiles(), temp.resolve("offers"), ROOM, modes, Runnable::run, heard);
    }

    private OpenedTable three(SSTable source) {
        return Pinned.of(TABLE, List.of(source, source, source));
    }

    private SSTable source() throws IOException {
        return source(500);
    }

    private SSTable source(int partitions) throws IOException {
        Path folder = Files.createDirectory(temp.resolve("source" + partitions));
        var data = new DataSet(3, partitions, 5, 40);
        var written = new DataSetWriter(data, Version.NB, WriterOptions.DEFAULTS).write(folder, 1);
        return SSTable.open(folder, written.get(0));
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true"})
    void each_sstable_is_heard_of_in_order_and_each_piece_of_it_is_a_step(boolean isAll, boolean slices)
            throws IOException {
        Heard heard = new Heard(Integer.MAX_VALUE);
        SSTableOffers offers = offers(new ModeSettings(true, slices), heard);

        NoProgress.prepare(offers, three(source()), isAll ? TokenRanges.FULL : HALF);

        assertThat(heard.offered)
                .isEqualTo(IntStream.range(0, offers.offers().size()).boxed().toList());
        assertThat(heard.offered).hasSizeGreaterThanOrEqualTo(3);
        new LocalFiles().deleteTree(temp.resolve("offers"));
        Heard ofMore = new Heard(Integer.MAX_VALUE);
        NoProgress.prepare(
                offers(new ModeSettings(true, slices), ofMore), three(source(20_000)), isAll ? TokenRanges.FULL : HALF);
        assertThat(ofMore.offered).hasSameSizeAs(heard.offered);
        assertThat(ofMore.steps).isGreaterThan(heard.steps + 3);
    }

    /** Room for so many SSTables. */
    private static final class Room implements Offers.Progress, SSTableOffers.SpaceLease {
        int left;
        boolean isFull;
        long reservedBytes;
        private boolean isAhead;

        @Override
        public void step() {}

        @Override
        public void keeps(int sections) {}

        @Override
        public boolean hasRoom(long lengthBytes) {
            return left > 0 && reservedBytes == 0;
        }

        @Override
        public boolean frees() {
            return isAhead;
        }

        @Override
        public void offered(OfferedSSTable sstable, long temporaryBytes) {
            assertThat(temporaryBytes).isPositive();
            left--;
            isAhead = true;
        }

        @Override
        public void replaced(Offers.Replaced damaged) {}

        @Override
        public void reserve(long lengthBytes) {
            if (isFull) {
                throw new StreamException(ErrorCode.DISK_FULL, "full");
            }
            reservedBytes += lengthBytes;
        }

        @Override
        public void release(long lengthBytes) {
            reservedBytes -= lengthBytes;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_preparation_stops_where_there_is_no_room_and_goes_on_there(boolean slices) throws IOException {
        Room room = new Room();
        SSTableOffers offers = new SSTableOffers(
                new LocalFiles(), temp.resolve("offers"), room, new ModeSettings(true, slices), Runnable::run, room);
        assertThat(offers.choose(three(source()), HALF)).isEqualTo(3);
        assertThat(offers.prepare()).isFalse();
        assertThat(offers.offers()).isEmpty();

        room.left = 2;
        assertThat(offers.prepare()).isFalse();
        assertThat(offers.offers()).hasSize(2);
        room.left = 1;
        room.isFull = true;
        assertThat(offers.prepare())
                .as("the disk is full until some are received")
                .isFalse();
        room.isFull = false;
        assertThat(offers.prepare()).isTrue();

        assertThat(offers.offers())
                .extracting(sstable -> sstable.offer().number())
                .containsExactly(0, 1, 2);
        assertThat(room.reservedBytes).isZero();
    }

    /** Has few keys, between which there is no room for others, and 8 MB of data that no compression shortens. */
    private SSTable sourceWithoutRoomForPadding() throws IOException {
        Column value = Column.of("v", Scalar.BLOB);
        SerializationHeader header = new SerializationHeader(
                SerializationHeader.Base.EPOCH, Scalar.TINYINT, List.of(), List.of(), List.of(value));
        RandomGenerator random = new Random(7);
        Descriptor descriptor = new Descriptor(Version.NB, new SSTableId.Sequence(9));
        var lz4 = WriterOptions.DEFAULTS.withCompression(CompressionParameters.of(Compressor.LZ4, 1 << 14));
        try (SSTableWriter writer = SSTableWriter.create(temp, descriptor, header, lz4)) {
            List<PartitionKey> keys = IntStream.range(0, 256)
                    .mapToObj(i -> PartitionKey.of(Bytes.wrap(new byte[] {(byte) i})))
                    .sorted()
                    .toList();
            for (PartitionKey key : keys) {
                byte[] noise = new byte[32 << 10];
                random.nextBytes(noise);
                Cell cell = Cell.of(value, 1, Bytes.wrap(noise));
                writer.append(Partition.of(
                        PartitionHeader.of(key), List.of(Row.inserted(ClusteringPrefix.row(), 1, List.of(cell)))));
            }
            return writer.finish();
        }
    }

    /** Files on which the written bytes are counted. */
    private record CountedFiles(AtomicLong written) implements ForwardingDisk {
        @Override
        public Disk real() {
            return new FileSystemDisk();
        }

        @Override
        public DiskFile create(Path file) throws IOException {
            DiskFile real = real().create(file);
            return new ForwardingFile() {
                @Override
                public DiskFile real() {
                    return real;
                }

                @Override
                public int write(ByteBuffer bytes, long position) throws IOException {
                    int count = real.write(bytes, position);
                    written.addAndGet(count);
                    return count;
                }
            };
        }
    }

    @Test
    void room_is_reserved_for_sections_that_are_recompressed_as_no_padding_keeps_their_chunks() throws IOException {
        SSTable source = sourceWithoutRoomForPadding();
        AtomicLong written = new AtomicLong();
        AtomicLong reserved = new AtomicLong();
        SSTableOffers.SpaceLease lease = new SSTableOffers.SpaceLease() {
            @Override
            public void reserve(long lengthBytes) {
                reserved.addAndGet(lengthBytes);
            }

            @Override
            public void release(long lengthBytes) {}
        };
        SSTableOffers offers = new SSTableOffers(
                new CountedFiles(written),
                temp.resolve("offers"),
                lease,
                new ModeSettings(true, true),
                Runnable::run,
                new NoProgress());

        NoProgress.prepare(
                offers,
                Pinned.of(TABLE, List.of(source)),
                TokenRanges.of(TokenRange.of(Long.MIN_VALUE / 2, Long.MAX_VALUE / 2)));

        assertThat(offers.offers().get(0).offer().choice().mode()).isEqualTo(TransferMode.SLICE);
        assertThat(written.get()).as("half of the table").isGreaterThan(3 << 20);
        assertThat(reserved.get()).isBetween(written.get(), written.get() + (2 << 20));
    }

    @Test
    void each_section_is_a_step_before_there_is_room_for_its_slice() throws IOException {
        Heard heard = new Heard(Integer.MAX_VALUE);
        SSTableOffers offers = offers(new ModeSettings(true, true), heard);
        List<TokenRange> ranges = IntStream.range(-5, 5)
                .mapToObj(i -> i * (Long.MAX_VALUE / 5))
                .map(start -> TokenRange.of(start, start + Long.MAX_VALUE / 10))
                .toList();

        NoProgress.prepare(offers, Pinned.of(TABLE, List.of(sourceWithoutRoomForPadding())), TokenRanges.of(ranges));

        assertThat(offers.offers().get(0).offer().choice().mode()).isEqualTo(TransferMode.SLICE);
        assertThat(heard.stepsBeforeRoom).isGreaterThanOrEqualTo(ranges.size());
    }

    @Test
    void a_full_disk_on_which_nothing_becomes_free_ends_the_preparation() throws IOException {
        Room room = new Room();
        room.left = 3;
        room.isFull = true;
        SSTableOffers offers = new SSTableOffers(
                new LocalFiles(), temp.resolve("offers"), room, new ModeSettings(true, true), Runnable::run, room);
        offers.choose(three(source()), HALF);

        assertThatThrownBy(offers::prepare).hasMessage("full");
    }

    /** A disk that fails when its free space is asked for the second time. */
    private static final class FailingRoom implements SSTableOffers.SpaceLease {
        private final Exception failure;
        private int reserved;
        long reservedBytes;

        FailingRoom(Exception failure) {
            this.failure = failure;
        }

        @Override
        public void reserve(long lengthBytes) throws IOException {
            if (++reserved == 2) {
                if (failure instanceof IOException broken) {
                    throw broken;
                }
                throw (RuntimeException) failure;
            }
            reservedBytes += lengthBytes;
        }

        @Override
        public void release(long lengthBytes) {
            reservedBytes -= lengthBytes;
        }
    }

    private static List<Exception> failures() {
        return List.of(
                new IOException("Input/output error"), new StreamException(ErrorCode.VOLUME_FAILED, "not trusted"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void what_was_reserved_for_others_is_released_if_space_cannot_be_reserved(Exception failure) throws IOException {
        FailingRoom room = new FailingRoom(failure);
        SSTableOffers offers = new SSTableOffers(
                new LocalFiles(),
                temp.resolve("offers"),
                room,
                new ModeSettings(true, true),
                Runnable::run,
                new NoProgress());
        offers.choose(three(source()), HALF);

        assertThatThrownBy(offers::prepare).isSameAs(failure);

        assertThat(room.reservedBytes).isZero();
        assertThat(offers.offers()).isEmpty();
    }

    @Test
    void at_most_three_helpers_take_a_task_each_and_then_their_turn_again() throws IOException {
        SSTable source = source();
        Deque<Runnable> waiting = new ArrayDeque<>();
        List<Integer> lengths = new ArrayList<>();
        AtomicInteger turns = new AtomicInteger();
        Offers.Progress busy = new Offers.Progress() {
            private boolean isHelping;

            @Override
            public void step() { // while the caller is at work, one helper has its turn
                Runnable helper = isHelping ? null : waiting.poll();
                if (helper != null) {
                    isHelping = true;
                    turns.incrementAndGet();
                    helper.run();
                    lengths.add(waiting.size());
                    isHelping = false;
                }
            }

            @Override
            public void keeps(int sections) {}

            @Override
            public boolean hasRoom(long lengthBytes) {
                return true;
            }

            @Override
            public boolean frees() {
                return false;
            }

            @Override
            public void offered(OfferedSSTable sstable, long temporaryBytes) {}

            @Override
            public void replaced(Offers.Replaced damaged) {}
        };
        SSTableOffers offers = new SSTableOffers(
                new LocalFiles(), temp.resolve("offers"), ROOM, new ModeSettings(true, true), waiting::add, busy);

        NoProgress.prepare(offers, Pinned.of(TABLE, Collections.nCopies(10, source)), HALF);

        assertThat(offers.offers()).hasSizeGreaterThanOrEqualTo(10);
        assertThat(lengths).first().isEqualTo(3);
        assertThat(lengths).allMatch(length -> length <= 3);
        assertThat(turns).as("more than there are helpers").hasValueGreaterThan(3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_preparation_that_nobody_waits_for_ends_at_its_next_step_and_keeps_what_was_offered(boolean slices)
            throws IOException {
        SSTable source = source();
        Heard all = new Heard(Integer.MAX_VALUE);
        NoProgress.prepare(offers(new ModeSettings(true, slices), all), three(source), HALF);
        new LocalFiles().deleteTree(temp.resolve("offers"));
        Heard heard = new Heard(all.steps - 2);
        SSTableOffers offers = offers(new ModeSettings(true, slices), heard);

        assertThatThrownBy(() -> NoProgress.prepare(offers, three(source), HALF))
                .hasMessage("nobody waits any more");

        assertThat(heard.steps).isLessThan(all.steps + 2);
        assertThat(offers.offers())
                .extracting(sstable -> sstable.offer().number())
                .isEqualTo(heard.offered);
        assertThat(heard.offered.size()).isLessThan(all.offered.size());
    }

    /** One partition with a counter shard that counts on the source only. */
    private SSTable sourceWithLegacyCounter() throws IOException {
        Column count = Column.of("count", Scalar.COUNTER);
        var header = new SerializationHeader(
                SerializationHeader.Base.EPOCH, Scalar.TEXT, List.of(Scalar.INT), List.of(), List.of(count));
        Bytes local = new GrowingBuffer()
                .putShort(1)
                .putShort(0)
                .putLong(7)
                .putLong(7)
                .putLong(1)
                .putLong(100)
                .toBytes();
        Descriptor descriptor = new Descriptor(Version.NB, new SSTableId.Sequence(1));
        try (SSTableWriter writer = SSTableWriter.create(temp, descriptor, header, WriterOptions.DEFAULTS)) {
            Row row = Row.inserted(ClusteringPrefix.row(Bytes.ofInt(1)), 1, List.of(Cell.of(count, 1, local)));
            List<PartitionKey> keys = IntStream.range(0, 100)
                    .mapToObj(i -> PartitionKey.of(Bytes.ofInt(i)))
                    .sorted()
                    .toList();
            for (PartitionKey key : keys) {
                writer.append(Partition.of(PartitionHeader.of(key), List.of(row)));
            }
            return writer.finish();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void counters_of_before_2_1_travel_as_rows_that_the_receiver_decodes(boolean isAll) throws IOException {
        SSTable source = sourceWithLegacyCounter();
        SSTableOffers offers = new SSTableOffers(
                new LocalFiles(),
                temp.resolve("offers"),
                ROOM,
                new ModeSettings(true, true),
                Runnable::run,
                new NoProgress());

        NoProgress.prepare(offers, Pinned.of(TABLE, List.of(source)), isAll ? TokenRanges.FULL : HALF);

        assertThat(offers.offers()).hasSize(1);
        assertThat(offers.offers().get(0).offer().choice().mode()).isEqualTo(TransferMode.ROWS);
        assertThat(offers.offers().get(0).offer().choice().reason()).contains("counter shards");
    }
}
