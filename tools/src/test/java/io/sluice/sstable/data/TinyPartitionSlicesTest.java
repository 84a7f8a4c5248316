package io.sluice.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.Verification;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.index.PartitionEntry;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.metadata.BloomFilter;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.sstable.type.CqlType.Scalar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables whose indexes and filters are as long as their data: what is copied of these, and what is made anew. */
class TinyPartitionSlicesTest {
    private static final int PARTITIONS = 20_000;
    private static final int SLICE_ID = 2;

    @TempDir
    Path directory;

    static Stream<Arguments> kinds() {
        return Stream.of(Version.NB, Version.OA, Version.DA)
                .flatMap(version -> Stream.of(
                        Arguments.of(version, WriterOptions.DEFAULTS),
                        Arguments.of(version, WriterOptions.DEFAULTS.withCompression(CompressionParameters.lz4()))));
    }

    private SSTable generate(Version version, WriterOptions options) throws IOException {
        return generate(version, options, PARTITIONS);
    }

    private SSTable generate(Version version, WriterOptions options, int partitions) throws IOException {
        SerializationHeader header =
                new SerializationHeader(SerializationHeader.Base.EPOCH, Scalar.TEXT, List.of(), List.of(), List.of());
        List<PartitionKey> keys = IntStream.range(0, partitions)
                .mapToObj(i -> PartitionKey.of(Bytes.utf8(Integer.toString(i))))
                .sorted()
                .toList();
        Descriptor descriptor = new Descriptor(version, new SSTableId.Sequence(1));
        try (SSTableWriter writer = SSTableWriter.create(directory, descriptor, header, options)) {
            for (PartitionKey key : keys) {
                writer.start(PartitionHeader.of(key));
                writer.add(Row.inserted(ClusteringPrefix.row(), 1, List.of()));
                writer.end();
            }
            return writer.finish();
        }
    }

    private SSTable slice(SSTable source, TokenRanges ranges, int id) throws IOException {
        Descriptor descriptor = new Descriptor(source.descriptor().version(), new SSTableId.Sequence(id));
        return SliceWriter.write(source, ranges, directory, descriptor)
                .orElseThrow()
                .sstable();
    }

    private static List<PartitionEntry> partitions(SSTable sstable) throws IOException {
        List<PartitionEntry> entries = new ArrayList<>();
        try (PartitionCursor cursor = sstable.partitions()) {
            for (Optional<PartitionEntry> entry = cursor.next(); entry.isPresent(); entry = cursor.next()) {
                entries.add(entry.get());
            }
        }
        return entries;
    }

    private static TokenRanges share(int numerator, int denominator) {
        long end = (long) (0x1p64 * numerator / denominator - 0x1p63);
        return TokenRanges.of(TokenRange.of(Long.MIN_VALUE + 1, end));
    }

    private static TokenRanges stripes(Random random) {
        long width = 1L << 57;
        long offset = random.nextLong(width);
        return TokenRanges.of(IntStream.range(-60, 60)
                .filter(i -> random.nextBoolean())
                .mapToObj(i -> TokenRange.of(i * width + offset, i * width + offset + random.nextLong(1, width)))
                .toList());
    }

    private static void assertHolds(SSTable slice, SSTable source, TokenRanges ranges) throws IOException {
        assertThat(Verification.verify(slice).problems()).isEmpty();
        List<PartitionEntry> expected = partitions(source).stream()
                .filter(entry -> ranges.contains(entry.token()))
                .toList();
        List<PartitionEntry> found = partitions(slice).stream()
                .filter(entry -> !entry.key().bytes().utf8().startsWith("no row is here"))
                .toList();
        assertThat(found)
                .extracting(PartitionEntry::key)
                .isEqualTo(expected.stream().map(PartitionEntry::key).toList());
        assertThat(found)
                .extracting(PartitionEntry::lengthBytes)
                .isEqualTo(expected.stream().map(PartitionEntry::lengthBytes).toList());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void have_the_keys_of_their_ranges_and_no_others(Version version, WriterOptions options) throws IOException {
        SSTable source = generate(version, options);
        Random random = new Random(7);

        assertHolds(slice(source, share(1, 20), SLICE_ID), source, share(1, 20));
        assertHolds(slice(source, share(2, 3), SLICE_ID + 1), source, share(2, 3));
        for (int i = 2; i < 6; i++) {
            TokenRanges ranges = stripes(random);
            assertHolds(slice(source, ranges, SLICE_ID + i), source, ranges);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void take_the_filter_of_the_source_if_they_have_most_of_it(Version version, WriterOptions options)
            throws IOException {
        SSTable source = generate(version, options);

        SSTable most = slice(source, share(2, 3), SLICE_ID);
        SSTable few = slice(source, share(1, 4), SLICE_ID + 1);

        assertThat(most.lengthBytes(Component.FILTER)).isEqualTo(source.lengthBytes(Component.FILTER));
        int keys = partitions(few).size();
        assertThat(few.lengthBytes(Component.FILTER)).isEqualTo(BloomFilter.lengthBytes(keys, 0.01));
    }

    @Test
    void make_a_new_filter_if_that_of_the_source_cannot_be_read() throws IOException {
        SSTable source = generate(Version.NB, WriterOptions.DEFAULTS);
        Path filter = source.path(Component.FILTER);
        byte[] bytes = Files.readAllBytes(filter);
        bytes[0] = 1; // the number of hashes is above all that are allowed
        Files.write(filter, bytes);

        SSTable most = slice(source, share(2, 3), SLICE_ID);

        assertHolds(most, source, share(2, 3));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void make_a_new_filter_if_that_of_the_source_has_lost_a_page(Version version, WriterOptions options)
            throws IOException {
        SSTable source = generate(version, options);
        Path filter = source.path(Component.FILTER);
        byte[] bytes = Files.readAllBytes(filter);
        Arrays.fill(bytes, 8 << 10, 12 << 10, (byte) 0);
        Files.write(filter, bytes);
        Descriptor descriptor = new Descriptor(version, new SSTableId.Sequence(SLICE_ID));

        SliceWriter.Slice slice =
                SliceWriter.write(source, share(2, 3), directory, descriptor).orElseThrow();

        assertHolds(slice.sstable(), source, share(2, 3));
        assertThat(slice.filterProblem())
                .hasValueSatisfying(problem -> assertThat(problem).startsWith(filter + ": lacks a key"));
    }

    /** With few partitions branches are small, and written at once. */
    @ParameterizedTest
    @ValueSource(ints = {5_000, PARTITIONS})
    void keep_the_pages_of_a_trie_as_full_as_its_writer_does(int partitions) throws IOException {
        SSTable source = generate(Version.DA, WriterOptions.DEFAULTS, partitions);
        TokenRanges most = share(2, 3);

        assertHolds(slice(source, most, SLICE_ID + 1), source, most);

        long length = slice(source, most, SLICE_ID).lengthBytes(Component.PARTITIONS);

        assertThat((double) length / source.lengthBytes(Component.PARTITIONS)).isBetween(0.6, 0.72);
    }
}
