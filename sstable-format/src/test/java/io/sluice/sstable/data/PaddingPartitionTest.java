package io.sluice.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.CqlType.Scalar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class PaddingPartitionTest {
    private static final int CHUNK_BYTES = 1 << 14;
    private static final PartitionKey KEY = PartitionKey.of(Bytes.utf8("no row is here"));

    @TempDir
    Path directory;

    static Stream<Arguments> tables() {
        Column text = Column.of("text", Scalar.TEXT);
        List<Column> columns = IntStream.range(0, 70)
                .mapToObj(i -> Column.of("column" + (10 + i), Scalar.INT))
                .toList();
        CqlType newestFirst = new CqlType.Reversed(Scalar.TIMEUUID);
        return Stream.of(Version.values())
                .flatMap(version -> Stream.of(
                        table(version, List.of(), List.of(), List.of()),
                        table(version, List.of(), List.of(), List.of(text)),
                        table(version, List.of(), List.of(text), List.of()),
                        table(version, List.of(Scalar.INT, newestFirst), List.of(text), List.of(text)),
                        table(version, List.of(Scalar.TEXT), List.of(), columns.subList(0, 63)),
                        table(version, List.of(Scalar.DECIMAL), columns, columns)));
    }

    private static Arguments table(
            Version version, List<CqlType> clusterings, List<Column> statics, List<Column> regulars) {
        return Arguments.of(
                version,
                new SerializationHeader(SerializationHeader.Base.EPOCH, Scalar.BLOB, clusterings, statics, regulars));
    }

    @ParameterizedTest
    @MethodSource("tables")
    void fills_gaps_of_all_lengths_with_what_no_reader_sees(Version version, SerializationHeader header)
            throws IOException {
        for (int gap = 1; gap < CHUNK_BYTES; gap += gap < 300 ? 1 : 331) {
            PaddingPartition padding =
                    PaddingPartition.of(KEY, gap, CHUNK_BYTES, version, header).orElseThrow();
            Bytes bytes = padding.encode(version, header);

            assertThat(bytes.length()).isEqualTo(padding.lengthBytes());
            assertThat(bytes.length() % CHUNK_BYTES).isEqualTo(gap);
            assertThat(bytes.length() < CHUNK_BYTES || gap < 200)
                    .as("gap of %d", gap)
                    .isTrue();
            requireEmpty(bytes, version, header);
        }
    }

    private void requireEmpty(Bytes padding, Version version, SerializationHeader header) throws IOException {
        Path file = directory.resolve("Data.db");
        Files.write(file, padding.toArray());
        List<Section> all = List.of(new Section(0, padding.length()));
        try (var reader = new PartitionReader(DataReader.plain(file), version, header, all)) {
            Partition read = reader.next().orElseThrow();
            assertThat(read.header()).isEqualTo(PartitionHeader.of(KEY));
            assertThat(read.next()).isEmpty();
            assertThat(reader.next()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void gives_up_if_it_were_too_long_or_a_clustering_column_has_a_type_without_known_values(Version version) {
        assertThat(PaddingPartition.of(KEY, 500, 1 << 30, version, header())).isPresent();
        assertThat(PaddingPartition.of(KEY, 1 << 21, 1 << 30, version, header()))
                .isEmpty();

        CqlType tuple = new CqlType.Tuple(List.of(Scalar.INT));
        assertThat(PaddingPartition.of(KEY, 500, CHUNK_BYTES, version, header(tuple)))
                .isEmpty();
    }

    @Test
    void bytes_behind_an_empty_row_are_refused() throws IOException {
        var out = new GrowingBuffer();
        SerializationHeader header = header();
        new RowEncoder(Version.NB, header).writeHeader(PartitionHeader.of(KEY), out);
        out.putByte(RowFlags.HAS_ALL_COLUMNS).putByte(2).putByte(0).putByte(77).putByte(RowFlags.END);

        assertThatThrownBy(() -> requireEmpty(out.toBytes(), Version.NB, header))
                .isInstanceOf(SSTableException.class)
                .hasMessageContaining("1 bytes left of the item");
    }

    private static SerializationHeader header(CqlType... clusterings) {
        return new SerializationHeader(
                SerializationHeader.Base.EPOCH, Scalar.BLOB, List.of(clusterings), List.of(), List.of());
    }
}
