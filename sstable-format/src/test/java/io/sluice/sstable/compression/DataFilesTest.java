package io.sluice.sstable.compression;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.Fixture;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.metadata.Digest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class DataFilesTest {

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#all")
    void reads_the_same_content_in_pieces_and_as_a_whole(Fixture fixture) throws IOException {
        SSTable sstable = fixture.open();
        byte[] whole = readAll(sstable);
        var random = new Random(1);

        try (DataReader reader = sstable.openData()) {
            for (int i = 0; i < 50; i++) {
                int from = random.nextInt(whole.length);
                int to = from + random.nextInt(Math.min(whole.length - from, 50_000) + 1);
                var piece = new byte[to - from];
                reader.read(from, ByteBuffer.wrap(piece));
                assertThat(piece).isEqualTo(Arrays.copyOfRange(whole, from, to));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#all")
    void writes_content_that_reads_the_same(Fixture fixture, @TempDir Path directory) throws IOException {
        SSTable sstable = fixture.open();
        byte[] whole = readAll(sstable);

        DataWriter.Written written;
        try (DataWriter writer = writerLike(sstable, directory)) {
            writer.write(ByteBuffer.wrap(whole, 0, whole.length / 3));
            writer.write(ByteBuffer.wrap(whole, whole.length / 3, whole.length - whole.length / 3));
            assertThat(writer.position()).isEqualTo(whole.length);
            written = writer.finish();
        }

        Path data = directory.resolve(Component.DATA.fileName());
        try (DataReader reader = readerOf(sstable, directory)) {
            var again = new byte[whole.length];
            reader.read(0, ByteBuffer.wrap(again));
            assertThat(again).isEqualTo(whole);
        }
        assertThat(written.storedLengthBytes()).isEqualTo(Files.size(data));
        assertThat(Digest.read(directory.resolve(Component.DIGEST.fileName()))).isEqualTo(written.digest());
        if (!sstable.isCompressed()) {
            assertThat(Files.readAllBytes(data)).isEqualTo(Files.readAllBytes(sstable.path(Component.DATA)));
            byte[] theirs = Files.readAllBytes(sstable.path(Component.CRC));
            int emptyChunks = fixture.isCompacted() ? 1 : 0; // whose checksum we do not write
            assertThat(Files.readAllBytes(directory.resolve(Component.CRC.fileName())))
                    .isEqualTo(Arrays.copyOf(theirs, theirs.length - emptyChunks * Integer.BYTES));
        }
    }

    private static DataWriter writerLike(SSTable sstable, Path directory) throws IOException {
        return sstable.isCompressed()
                ? DataWriter.compressed(
                        component -> ComponentOutput.create(directory.resolve(component.fileName())),
                        sstable.compression().orElseThrow().parameters(),
                        sstable.descriptor().version())
                : DataWriter.plain(component -> ComponentOutput.create(directory.resolve(component.fileName())));
    }

    private static DataReader readerOf(SSTable sstable, Path directory) throws IOException {
        Path data = directory.resolve(Component.DATA.fileName());
        return sstable.isCompressed()
                ? DataReader.compressed(data, directory.resolve(Component.COMPRESSION_INFO.fileName()))
                : DataReader.checked(data, directory.resolve(Component.CRC.fileName()));
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#compressed")
    void a_chunk_has_the_length_and_the_checksum_with_which_it_is_read(Fixture fixture) throws IOException {
        Path data = fixture.path(Component.DATA);

        try (StoredChunks chunks = StoredChunks.open(data, fixture.path(Component.COMPRESSION_INFO))) {
            for (long i = 0; i < chunks.info().chunkCount(); i++) {
                ByteBuffer read = chunks.read(i);
                assertThat(chunks.lengthBytes(i)).isEqualTo(read.remaining() - Integer.BYTES);
                assertThat(chunks.recordedCrc(i)).isEqualTo(read.getInt(read.limit() - Integer.BYTES));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#compressed")
    void writes_the_compression_info_that_it_read(Fixture fixture, @TempDir Path directory) throws IOException {
        Path original = fixture.path(Component.COMPRESSION_INFO);
        Path copy = directory.resolve("CompressionInfo.db");

        try (ChunkTable table = ChunkTable.open(original, Files.size(fixture.path(Component.DATA)));
                CompressionInfoWriter writer = CompressionInfoWriter.to(
                        ComponentOutput.create(copy),
                        table.info().parameters(),
                        fixture.descriptor().version())) {
            for (int i = 0; i < table.info().chunkCount(); i++) {
                writer.add(table.chunk(i).position());
            }
            writer.finish(table.info().dataLengthBytes());
        }

        assertThat(Files.readAllBytes(copy)).isEqualTo(Files.readAllBytes(original));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4095, 4096, 4097, 10_000})
    void stores_incompressible_chunks_plain_and_pads_the_last(int length, @TempDir Path directory) throws IOException {
        var plain = new byte[length];
        new Random(5).nextBytes(plain);
        var parameters = new CompressionParameters(Compressor.LZ4, Map.of(), 4096, 3724);

        DataWriter.Written written;
        try (DataWriter writer = DataWriter.compressed(
                component -> ComponentOutput.create(directory.resolve(component.fileName())), parameters, Version.NB)) {
            writer.write(ByteBuffer.wrap(plain));
            written = writer.finish();
        }

        Path data = directory.resolve(Component.DATA.fileName());
        try (DataReader reader =
                DataReader.compressed(data, directory.resolve(Component.COMPRESSION_INFO.fileName()))) {
            var again = new byte[length];
            reader.read(0, ByteBuffer.wrap(again));
            assertThat(again).isEqualTo(plain);
        }
        assertThat(written.storedLengthBytes()).isLessThanOrEqualTo((length / 4096 + 1) * (4096L + 4));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1 << 16, (1 << 16) + 1, 1 << 18, (1 << 18) + 1, 700_000})
    void writes_chunks_that_are_longer_than_its_first_buffer(int length, @TempDir Path directory) throws IOException {
        var plain = new byte[length];
        new Random(6).nextBytes(plain);
        var parameters =
                new CompressionParameters(Compressor.LZ4, Map.of(), 1 << 18, CompressionParameters.ALWAYS_COMPRESS);

        try (DataWriter writer = DataWriter.compressed(
                component -> ComponentOutput.create(directory.resolve(component.fileName())), parameters, Version.NB)) {
            for (int at = 0; at < length; at += 50_000) {
                writer.write(ByteBuffer.wrap(plain, at, Math.min(50_000, length - at)));
            }
            writer.finish();
        }

        Path data = directory.resolve(Component.DATA.fileName());
        try (DataReader reader =
                DataReader.compressed(data, directory.resolve(Component.COMPRESSION_INFO.fileName()))) {
            var again = new byte[length];
            reader.read(0, ByteBuffer.wrap(again));
            assertThat(again).isEqualTo(plain);
        }
    }

    private static byte[] readAll(SSTable sstable) throws IOException {
        var whole = new byte[(int) sstable.dataLengthBytes()];
        try (DataReader reader = sstable.openData()) {
            reader.read(0, ByteBuffer.wrap(whole));
        }
        return whole;
    }
}
