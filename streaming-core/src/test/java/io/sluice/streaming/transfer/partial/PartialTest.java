package io.sluice.streaming.transfer.partial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.Verification;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.metadata.CompactionState;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.transfer.Fixtures;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PartialTest {
    private static final int CUTS = 6;
    private static final TokenRanges HALF = TokenRanges.of(TokenRange.of(Long.MIN_VALUE, 0));

    @TempDir
    Path directory;

    private int nextId = 1;

    static Stream<TableDirectory> tables() {
        return Fixtures.tables();
    }

    static Stream<TableDirectory> tableOfEachShape() {
        return Fixtures.tableOfEachShape();
    }

    private static Optional<byte[]> sent(SSTable sstable, TokenRanges ranges) throws IOException {
        Optional<PartialWriter> writer = PartialWriter.of(sstable, ranges);
        if (writer.isEmpty()) {
            return Optional.empty();
        }
        var bytes = new ByteArrayOutputStream();
        long sent = writer.get().send(Channels.newChannel(bytes));
        assertThat(bytes.size()).isEqualTo(sent);
        return Optional.of(bytes.toByteArray());
    }

    private Optional<SSTable> received(byte[] bytes, TokenRanges wanted) throws IOException {
        return received(bytes, wanted, Version.OA);
    }

    private Optional<SSTable> received(byte[] bytes, TokenRanges wanted, Version version) throws IOException {
        var channel = Channels.newChannel(new ByteArrayInputStream(bytes));
        Descriptor descriptor = new Descriptor(version, new SSTableId.Sequence(nextId++));
        return new PartialReader(channel, wanted).receive(new LocalFiles(), directory, descriptor, options -> options);
    }

    @ParameterizedTest
    @MethodSource("tableOfEachShape")
    void what_arrives_is_what_the_source_holds_in_the_ranges(TableDirectory table) throws IOException {
        assertArrives(table);
    }

    @ParameterizedTest
    @MethodSource("tables")
    @Tag("full")
    void what_arrives_is_what_the_source_holds_in_the_ranges_of_every_table(TableDirectory table) throws IOException {
        assertArrives(table);
    }

    private void assertArrives(TableDirectory table) throws IOException {
        SplittableRandom random = new SplittableRandom(table.path().toString().hashCode());
        for (SSTable source : Fixtures.open(table)) {
            // oa cannot say all that nb can: one fixture has a deletion from before 1970.
            Version version = source.descriptor().version() == Version.NB ? Version.NB : Version.OA;
            for (int i = 0; i < CUTS; i++) {
                TokenRanges ranges = i == 0 ? TokenRanges.FULL : Fixtures.ranges(List.of(source), random);
                ContentDigest expected = ContentDigest.of(List.of(source), ranges);
                Optional<byte[]> sent = sent(source, ranges);

                Optional<SSTable> arrived = sent.isEmpty() ? Optional.empty() : received(sent.get(), ranges, version);

                assertThat(ContentDigest.of(arrived.stream().toList(), TokenRanges.FULL))
                        .isEqualTo(expected);
                if (arrived.isPresent()) {
                    assertThat(Verification.verify(arrived.get()).problems()).isEmpty();
                }
            }
        }
    }

    @Test
    void keeps_level_and_repair_state() throws IOException {
        CompactionState repaired =
                new CompactionState(3, 1_700_000_000_000L, Optional.of(new UUID(1, 2)), true, Optional.empty());
        SSTable source = generated(lz4().withPlacement(repaired));

        SSTable arrived = received(sent(source, HALF).orElseThrow(), HALF).orElseThrow();

        assertThat(source.statistics().stats().placement()).isEqualTo(repaired);
        assertThat(arrived.statistics().stats().placement()).isEqualTo(repaired);
    }

    private SSTable generated(WriterOptions options) throws IOException {
        Path folder = Files.createTempDirectory(directory, "source");
        var written = new DataSetWriter(new DataSet(7, 20_000, 1, 60), Version.NB, options).write(folder, 1);
        return SSTable.open(folder, written.get(0));
    }

    private static WriterOptions lz4() {
        return WriterOptions.DEFAULTS.withCompression(CompressionParameters.lz4());
    }

    @Test
    void sends_little_more_than_the_chunks_that_hold_the_ranges() throws IOException {
        SSTable source = generated(lz4());

        long sent = PartialWriter.of(source, HALF).orElseThrow().send(Channels.newChannel(new ByteArrayOutputStream()));

        assertThat((double) sent / source.lengthBytes(Component.DATA)).isBetween(0.48, 0.53);
    }

    @Test
    void computes_the_checksums_that_a_source_lacks() throws IOException {
        SSTable source = generated(WriterOptions.DEFAULTS);
        ContentDigest expected = ContentDigest.of(List.of(source), HALF);
        Files.delete(source.path(Component.CRC));
        SSTable without = SSTable.open(source.directory(), source.descriptor());

        SSTable arrived = received(sent(without, HALF).orElseThrow(), HALF).orElseThrow();

        assertThat(ContentDigest.of(List.of(arrived), TokenRanges.FULL)).isEqualTo(expected);
    }

    @Test
    void rows_to_the_end_of_a_table_whose_last_chunk_is_empty_arrive() throws IOException {
        TokenRanges upper = TokenRanges.of(TokenRange.of(0, Long.MIN_VALUE));
        SSTable source = endWithEmptyChunk(generated(lz4()));

        Path part = Files.write(directory.resolve("part"), sent(source, upper).orElseThrow());
        Descriptor descriptor = new Descriptor(Version.OA, new SSTableId.Sequence(nextId++));
        assertThat(PartialFile.toSSTable(new LocalFiles(), part, directory, descriptor, upper))
                .isTrue();

        SSTable arrived = SSTable.open(directory, descriptor);
        assertThat(ContentDigest.of(List.of(arrived), TokenRanges.FULL))
                .isEqualTo(ContentDigest.of(List.of(source), upper));
    }

    @Test
    void a_part_with_more_bytes_than_its_rows_leaves_no_sstable() throws IOException {
        byte[] bytes = sent(generated(lz4()), HALF).orElseThrow();
        Path part = Files.write(directory.resolve("part"), Arrays.copyOf(bytes, bytes.length + 1));
        Descriptor descriptor = new Descriptor(Version.OA, new SSTableId.Sequence(nextId++));

        assertThatThrownBy(() -> PartialFile.toSSTable(new LocalFiles(), part, directory, descriptor, HALF))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL))
                .hasMessageContaining("more bytes (expected: the end of part)");

        assertThat(leftBehind()).containsExactly(part);
    }

    /** Adds an empty chunk, which compaction leaves at the end of some files. */
    private static SSTable endWithEmptyChunk(SSTable sstable) throws IOException {
        byte[] empty = new byte[Integer.BYTES + 1]; // LZ4 of nothing behind its length, which is 0
        CRC32 crc = new CRC32();
        crc.update(empty);
        Path data = sstable.path(Component.DATA);
        long position = Files.size(data);
        ByteBuffer chunk = ByteBuffer.allocate(empty.length + Integer.BYTES);
        Files.write(data, chunk.put(empty).putInt((int) crc.getValue()).array(), StandardOpenOption.APPEND);
        Path info = sstable.path(Component.COMPRESSION_INFO);
        byte[] before = Files.readAllBytes(info);
        int chunks = sstable.compression().orElseThrow().chunkCount();
        ByteBuffer after = ByteBuffer.allocate(before.length + Long.BYTES);
        after.put(before).putLong(position);
        after.putInt(before.length - chunks * Long.BYTES - Integer.BYTES, chunks + 1);
        Files.write(info, after.array());
        return SSTable.open(sstable.directory(), sstable.descriptor());
    }

    @Test
    void refuses_a_partition_that_was_not_asked_for() throws IOException {
        byte[] bytes = sent(generated(lz4()), HALF).orElseThrow();
        TokenRanges less = TokenRanges.of(TokenRange.of(Long.MIN_VALUE, -1_000_000_000_000_000_000L));

        assertThatThrownBy(() -> received(bytes, less))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OUT_OF_RANGE));
        assertThat(leftBehind()).isEmpty();
    }

    private List<Path> leftBehind() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    @Test
    void refuses_whatever_byte_is_damaged_and_leaves_nothing() throws IOException {
        for (WriterOptions options : List.of(lz4(), WriterOptions.DEFAULTS)) {
            byte[] bytes = sent(generated(options), HALF).orElseThrow();
            SplittableRandom random = new SplittableRandom(5);
            for (int i = 0; i < 300; i++) {
                byte[] damaged = bytes.clone();
                int at = i < 200 ? i : random.nextInt(bytes.length);
                damaged[at] ^= (byte) (1 << random.nextInt(8));

                assertThatThrownBy(() -> received(damaged, HALF))
                        .as("byte %d of %d", at, bytes.length)
                        .isInstanceOf(StreamException.class);
                assertThat(leftBehind()).isEmpty();
            }
        }
    }

    @Test
    void refuses_a_stream_that_ends_early() throws IOException {
        byte[] bytes = sent(generated(lz4()), HALF).orElseThrow();

        for (int length : new int[] {0, 3, 7, 40, 200, bytes.length / 2, bytes.length - 1}) {
            assertThatThrownBy(() -> received(Arrays.copyOf(bytes, length), HALF))
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PEER_LOST));
        }
        assertThat(leftBehind()).isEmpty();
    }

    @Test
    void reads_any_header_without_harm() {
        SplittableRandom random = new SplittableRandom(9);
        for (int i = 0; i < 20_000; i++) {
            byte[] noise = new byte[random.nextInt(80)];
            random.nextBytes(noise);

            assertThatThrownBy(() -> PartialHeader.decode(io.sluice.sstable.encoding.Bytes.wrap(noise)))
                    .isInstanceOf(StreamException.class);
        }
    }
}
