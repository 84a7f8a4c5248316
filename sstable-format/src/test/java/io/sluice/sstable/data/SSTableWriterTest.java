package io.sluice.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.type.CqlType.Scalar;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SSTableWriterTest {
    private static final Column VALUE = Column.of("value", Scalar.TEXT);
    private static final SerializationHeader HEADER = new SerializationHeader(
            SerializationHeader.Base.EPOCH, Scalar.TEXT, List.of(Scalar.INT), List.of(), List.of(VALUE));
    private static final Descriptor DESCRIPTOR = new Descriptor(Version.NB, new SSTableId.Sequence(1));

    private static final PartitionKey A = PartitionKey.of(Bytes.utf8("a"));

    @TempDir
    Path directory;

    private SSTableWriter create() throws IOException {
        return SSTableWriter.create(directory, DESCRIPTOR, HEADER, WriterOptions.DEFAULTS);
    }

    private static Row row(int clustering, String value) {
        return Row.inserted(
                ClusteringPrefix.row(Bytes.ofInt(clustering)),
                1_700_000_000_000_000L,
                List.of(Cell.of(VALUE, 1_700_000_000_000_000L, Bytes.utf8(value))));
    }

    private static List<Unfiltered> drain(Partition partition) throws IOException {
        List<Unfiltered> items = new ArrayList<>();
        for (Optional<Unfiltered> item = partition.next(); item.isPresent(); item = partition.next()) {
            items.add(item.get());
        }
        return items;
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void reads_back_the_rows_of_a_partition_of_many_blocks(Version version) throws IOException {
        Descriptor descriptor = new Descriptor(version, new SSTableId.Sequence(1));
        List<Row> rows =
                IntStream.range(0, 5000).mapToObj(i -> row(i, "x".repeat(100))).toList();
        PartitionHeader header = new PartitionHeader(A, new DeletionTime(5, 6), Row.NO_STATICS);

        try (var writer = SSTableWriter.create(directory, descriptor, HEADER, WriterOptions.DEFAULTS)) {
            writer.append(Partition.of(header, rows));
            SSTable sstable = writer.finish();

            try (PartitionReader reader = PartitionReader.open(sstable)) {
                Partition read = reader.next().orElseThrow();
                assertThat(read.header()).isEqualTo(header);
                assertThat(drain(read)).isEqualTo(rows);
                assertThat(reader.next()).isEmpty();
            }
        }
    }

    @Test
    void shows_nothing_before_it_is_finished() throws IOException {
        try (SSTableWriter writer = create()) {
            writer.append(Partition.of(PartitionHeader.of(A), List.of(row(1, "one"))));

            assertThat(files()).allMatch(file -> file.toString().endsWith(".tmp"));
        }
    }

    @Test
    void leaves_nothing_if_it_is_closed_unfinished() throws IOException {
        try (SSTableWriter writer = create()) {
            writer.append(Partition.of(PartitionHeader.of(A), List.of(row(1, "one"))));
        }

        assertThat(files()).isEmpty();
    }

    @Test
    void leaves_the_components_that_it_names() throws IOException {
        try (SSTableWriter writer = create()) {
            writer.append(Partition.of(PartitionHeader.of(A), List.of(row(1, "one"))));
            writer.finish();
        }

        List<String> named = Files.readAllLines(directory.resolve(DESCRIPTOR.fileName(Component.TOC)));
        assertThat(named).contains("Data.db", "Index.db", "Statistics.db", "TOC.txt");
        assertThat(files())
                .extracting(file -> file.getFileName().toString())
                .containsExactlyInAnyOrderElementsOf(
                        named.stream().map(name -> DESCRIPTOR + "-" + name).toList());
    }

    @Test
    void does_not_replace_an_sstable() throws IOException {
        Files.createFile(directory.resolve(DESCRIPTOR.fileName(Component.DATA)));

        assertThatThrownBy(this::create).isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void refuses_partitions_out_of_order() throws IOException {
        Partition first = Partition.of(PartitionHeader.of(A), List.of(row(1, "one")));
        Partition again = Partition.of(PartitionHeader.of(A), List.of(row(1, "one")));

        try (SSTableWriter writer = create()) {
            writer.append(first);

            assertThatThrownBy(() -> writer.append(again)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void refuses_to_finish_empty() throws IOException {
        try (SSTableWriter writer = create()) {
            writer.append(Partition.of(PartitionHeader.of(A), List.of()));

            assertThatThrownBy(writer::finish).isInstanceOf(IllegalStateException.class);
        }
    }
}
