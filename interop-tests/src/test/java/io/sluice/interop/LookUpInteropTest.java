package io.sluice.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.UniformTable;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.key.Murmur3;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Cassandra finds each key of a slice by filter and index, and no key that it does not have. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LookUpInteropTest {
    private static final int PARTITIONS = 30_000;
    /** So few that branches of tries are short, which are copied in another way. */
    private static final int FEW_PARTITIONS = 5_000;
    /** Keys of no table. */
    private static final int OTHERS = 2_000;

    @TempDir
    private static Path work = Path.of("");

    @TempDir
    private Path target = Path.of("");

    private Cassandra cassandra;

    @BeforeAll
    void start_cassandra() throws IOException {
        cassandra = Cassandra.start(work);
    }

    static Stream<Arguments> tables() {
        return Stream.concat(
                Stream.of(Version.NB, Version.OA, Version.DA)
                        .flatMap(version -> Stream.of(
                                Arguments.of(version, WriterOptions.DEFAULTS, PARTITIONS),
                                Arguments.of(
                                        version,
                                        WriterOptions.DEFAULTS.withCompression(CompressionParameters.lz4()),
                                        PARTITIONS))),
                Stream.of(Arguments.of(Version.DA, WriterOptions.DEFAULTS, FEW_PARTITIONS)));
    }

    /** With the filter of the source, with one of its own, and of many ranges. */
    private static List<TokenRanges> cuts() {
        return List.of(
                TokenRanges.of(TokenRange.of(Long.MIN_VALUE / 3, Long.MAX_VALUE)),
                TokenRanges.of(TokenRange.of(Long.MIN_VALUE / 3, Long.MIN_VALUE / 4)),
                TokenRanges.of(IntStream.range(-30, 30)
                        .mapToObj(i -> TokenRange.of((2L * i << 57) + 12_345, (2L * i + 1 << 57) + 12_345))
                        .toList()));
    }

    @ParameterizedTest
    @MethodSource("tables")
    void each_key_of_a_slice_is_found_and_no_other(Version version, WriterOptions options, int partitions)
            throws Exception {
        Path folder = new UniformTable(version, partitions, 10).write(target, options);
        Descriptor written =
                TableDirectory.of(folder).orElseThrow().descriptors().get(0);
        SSTable source = SSTable.open(folder, written);
        List<byte[]> keys = IntStream.range(0, partitions + OTHERS)
                .mapToObj(i -> Integer.toString(i).getBytes(StandardCharsets.US_ASCII))
                .toList();
        List<ByteBuffer> asked = keys.stream().map(ByteBuffer::wrap).toList();
        Path slices = Files.createDirectory(target.resolve("slices"));
        int id = 1;
        for (TokenRanges ranges : cuts()) {
            Set<ByteBuffer> expected = keys.subList(0, partitions).stream()
                    .filter(key -> ranges.contains(Murmur3.tokenOf(key)))
                    .map(ByteBuffer::wrap)
                    .collect(Collectors.toSet());
            SliceWriter.Slice slice = SliceWriter.write(
                            source, ranges, slices, new Descriptor(version, new SSTableId.Sequence(id++)))
                    .orElseThrow();

            Set<ByteBuffer> found = cassandra.found(slice.sstable().path(Component.DATA), asked);

            assertThat(expected).isNotEmpty();
            assertThat(found).isEqualTo(expected);
        }
    }
}
