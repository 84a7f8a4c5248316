package io.sluice.harness.content;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.compression.Compressor;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoredDigestTest {
    /** Of 4 KiB stored plain, and its CRC. */
    private static final int CHUNK = (1 << 12) + Integer.BYTES;

    private static final Path FIXTURES =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "multi_sstable");
    /** The ring in three ranges, one of which goes past the highest token. */
    private static final List<TokenRange> RANGES = List.of(
            TokenRange.of(-5_000_000_000_000_000_000L, 0),
            TokenRange.of(0, 5_000_000_000_000_000_000L),
            TokenRange.of(5_000_000_000_000_000_000L, -5_000_000_000_000_000_000L));

    @TempDir
    private Path temporary = Path.of("");

    private TableFiles whole;

    @BeforeEach
    void open() throws IOException {
        whole = TableFiles.openAll(FIXTURES.resolve("nb")).get(0);
    }

    @Test
    void slices_store_what_the_whole_files_store() throws IOException {
        List<SSTable> slices = new ArrayList<>();
        int id = 0;
        for (SSTable sstable : whole.sstables()) {
            for (TokenRange range : RANGES) {
                Descriptor name = new Descriptor(sstable.descriptor().version(), new SSTableId.Sequence(++id));
                if (SliceWriter.write(sstable, range, temporary, name).isPresent()) {
                    slices.add(SSTable.open(temporary, name));
                }
            }
        }

        assertThat(slices).hasSizeGreaterThan(whole.sstables().size());
        for (TokenRange range : RANGES) {
            assertThat(StoredDigest.of(slices, range)).isEqualTo(whole.stored(range));
        }
    }

    @Test
    void a_missing_sstable_shows_in_the_ranges_that_it_is_in() throws IOException {
        List<SSTable> some = whole.sstables().subList(1, whole.sstables().size());

        assertThat(RANGES)
                .allSatisfy(range -> assertThat(StoredDigest.of(some, range)).isNotEqualTo(whole.stored(range)));
    }

    /** The same rows, and yet nobody can say so who does not decode them. */
    @Test
    void another_format_is_stored_otherwise() throws IOException {
        TableFiles other = TableFiles.openAll(FIXTURES.resolve("oa")).get(0);

        assertThat(other.stored(RANGES.get(0))).isNotEqualTo(whole.stored(RANGES.get(0)));
    }

    @Test
    void ranges_without_partitions_are_stored_alike() throws IOException {
        TokenRange empty = TokenRange.of(1, 2);

        assertThat(whole.stored(empty)).isEqualTo(StoredDigest.of(List.of(), empty));
    }

    private static Stream<Arguments> manyChunks() {
        return Stream.of(Version.NB, Version.DA)
                .flatMap(version -> Stream.of(
                                WriterOptions.DEFAULTS,
                                WriterOptions.DEFAULTS.withCompression(CompressionParameters.lz4()),
                                WriterOptions.DEFAULTS.withCompression(
                                        CompressionParameters.of(Compressor.ZSTD, 1 << 12)),
                                WriterOptions.DEFAULTS.withCompression(new CompressionParameters(
                                        Compressor.LZ4, Map.of(), 1 << 14, 1 << 12))) // some chunks are stored plain
                        .map(options -> Arguments.of(version, options)));
    }

    private SSTable generated(Version version, WriterOptions options) throws IOException {
        Path folder = Files.createTempDirectory(temporary, "source");
        return SSTable.open(
                folder,
                new DataSetWriter(new DataSet(7, 20_000, 1, 60), version, options)
                        .write(folder, 1)
                        .get(0));
    }

    private static SSTable again(SSTable sstable) throws IOException {
        Path folder = Objects.requireNonNull(sstable.path(Component.DATA).getParent());
        return SSTable.open(folder, sstable.descriptor());
    }

    /** Of which most lie within the ranges, and two of each range at its ends. */
    @ParameterizedTest
    @MethodSource("manyChunks")
    void slices_of_many_chunks_store_what_the_whole_files_store(Version version, WriterOptions options)
            throws IOException {
        SSTable source = generated(version, options);
        List<SSTable> slices = new ArrayList<>();
        for (TokenRange range : RANGES) {
            Descriptor name = new Descriptor(version, new SSTableId.Sequence(slices.size() + 1));
            assertThat(SliceWriter.write(source, range, temporary, name)).isPresent();
            slices.add(SSTable.open(temporary, name));
        }

        for (TokenRange range : RANGES) {
            assertThat(StoredDigest.of(slices, range)).isEqualTo(StoredDigest.of(List.of(source), range));
            assertThat(recorded(source, range)).isEqualTo(StoredDigest.of(slices, range));
        }
    }

    /** Padding of a slice is not that of a slice of it, and is elsewhere in its chunks. */
    @ParameterizedTest
    @MethodSource("manyChunks")
    void slices_of_slices_with_gaps_store_what_the_whole_files_store(Version version, WriterOptions options)
            throws IOException {
        SSTable sstable = generated(version, options);
        List<TokenRange> stripes = new ArrayList<>();
        for (long i = -3; i < 3; i += 2) { // long enough that it is worth to search for a key of padding
            stripes.add(TokenRange.of(i << 61, (i + 1) << 61));
        }

        int divided = 0;
        for (int id = 1; id < 4; id++) {
            Descriptor name = new Descriptor(version, new SSTableId.Sequence(id));
            assertThat(SliceWriter.write(sstable, TokenRanges.of(stripes), temporary, name))
                    .isPresent();
            SSTable slice = SSTable.open(temporary, name);
            for (TokenRange range : stripes) {
                divided += sectionsOf(slice, range).size() - 1;
                assertThat(StoredDigest.of(List.of(slice), range)).isEqualTo(StoredDigest.of(List.of(sstable), range));
            }
            sstable = slice;
            stripes.replaceAll(range -> TokenRange.of(
                    range.start().value() + (1L << 55), range.end().value() - (1L << 54)));
        }
        assertThat(divided > 0)
                .as("padding between partitions")
                .isEqualTo(options.compression().isPresent());
    }

    @Test
    void an_index_of_other_partitions_is_an_error_where_padding_is_looked_for() throws IOException {
        WriterOptions options = WriterOptions.DEFAULTS.withCompression(CompressionParameters.lz4());
        SSTable source = generated(Version.NB, options);
        Path folder = Files.createTempDirectory(temporary, "other");
        Descriptor other = new DataSetWriter(new DataSet(7, 20_000, 1, 50), Version.NB, options)
                .write(folder, 1)
                .get(0);
        Files.copy(
                SSTable.open(folder, other).path(Component.INDEX),
                source.path(Component.INDEX),
                StandardCopyOption.REPLACE_EXISTING);

        assertThatThrownBy(() -> recorded(again(source), TokenRange.FULL))
                .isInstanceOf(SSTableException.class)
                .hasMessageContaining("by its index");
    }

    private static List<Section> sectionsOf(SSTable slice, TokenRange range) throws IOException {
        return PaddedRun.content(
                slice, range, slice.sections(TokenRanges.of(range)).get(0));
    }

    private static StoredDigest recorded(SSTable sstable, TokenRange range) throws IOException {
        List<TokenRange> ranges = List.of(range);
        return StoredRuns.digests(List.of(StoredRuns.recorded(List.of(sstable), ranges)), ranges)
                .get(0);
    }

    /** So the node that has received other bytes finds that out when it reads them. */
    @ParameterizedTest
    @MethodSource("manyChunks")
    void recorded_checksums_are_those_of_the_bytes_when_they_were_written(Version version, WriterOptions options)
            throws IOException {
        SSTable source = generated(version, options);
        StoredDigest before = recorded(source, TokenRange.FULL);
        Path data = source.path(Component.DATA);
        byte[] bytes = Files.readAllBytes(data);
        bytes[bytes.length / 2] ^= 1;
        Files.write(data, bytes);

        assertThat(recorded(again(source), TokenRange.FULL)).isEqualTo(before);
        assertThatThrownBy(() -> StoredDigest.of(List.of(again(source)), TokenRange.FULL))
                .isInstanceOf(SSTableException.class);
    }

    @Test
    void an_uncompressed_sstable_without_checksums_is_read() throws IOException {
        SSTable source = generated(Version.NB, WriterOptions.DEFAULTS);
        StoredDigest before = recorded(source, TokenRange.FULL);
        Files.delete(source.path(Component.CRC));

        assertThat(recorded(again(source), TokenRange.FULL)).isEqualTo(before);
    }

    /** A byte of whose chunk nobody else can say that it is wrong, since its CRC was computed after it. */
    @ParameterizedTest
    @ValueSource(doubles = {0, 0.3, 0.5, 0.999})
    void a_byte_that_differs_shows_though_every_checksum_matches(double where) throws IOException {
        SSTable source = generated(
                Version.NB, WriterOptions.DEFAULTS.withCompression(CompressionParameters.of(Compressor.NOOP, 1 << 12)));
        StoredDigest before = StoredDigest.of(List.of(source), TokenRange.FULL);
        Path data = source.path(Component.DATA);
        byte[] bytes = Files.readAllBytes(data);
        int chunk = (int) (bytes.length * where) / CHUNK * CHUNK;
        int length = Math.min(1 << 12, bytes.length - chunk - Integer.BYTES);
        bytes[chunk + length - 1] ^= 1; // the last bytes of a partition are of a cell
        CRC32 crc = new CRC32();
        crc.update(bytes, chunk, length);
        ByteBuffer.wrap(bytes).putInt(chunk + length, (int) crc.getValue());
        Files.write(data, bytes);

        SSTable changed = again(source);

        assertThat(StoredDigest.of(List.of(changed), TokenRange.FULL)).isNotEqualTo(before);
    }

    @ParameterizedTest
    @MethodSource("manyChunks")
    void a_damaged_byte_is_an_error_that_names_the_file(Version version, WriterOptions options) throws IOException {
        SSTable source = generated(version, options);
        Path data = source.path(Component.DATA);
        byte[] bytes = Files.readAllBytes(data);
        bytes[bytes.length / 2] ^= 1;
        Files.write(data, bytes);

        SSTable damaged = again(source);

        assertThatThrownBy(() -> StoredDigest.of(List.of(damaged), TokenRange.FULL))
                .isInstanceOf(SSTableException.class)
                .hasMessageContaining(
                        "-big-Data.db".replace("big", version.format().name().toLowerCase(Locale.ROOT)))
                .hasMessageContaining("CRC-32");
    }
}
