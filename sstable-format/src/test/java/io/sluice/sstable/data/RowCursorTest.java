package io.sluice.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.Fixture;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.index.PartitionEntry;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.sstable.type.CqlType.Scalar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RowCursorTest {
    private static final Column VALUE = Column.of("value", Scalar.TEXT);
    private static final SerializationHeader HEADER = new SerializationHeader(
            SerializationHeader.Base.EPOCH, Scalar.TEXT, List.of(Scalar.INT), List.of(), List.of(VALUE));

    @TempDir
    Path directory;

    static Stream<Fixture> fixtures() {
        return Fixture.all();
    }

    /** Everything that the cursor shows, as text. */
    private static List<String> seen(RowCursor cursor) throws IOException {
        List<String> seen = new ArrayList<>();
        while (cursor.nextPartition()) {
            seen.add("partition " + cursor.key() + cursor.partitionDeletion());
            while (cursor.nextItem()) {
                if (cursor.kind().side() != 0) {
                    seen.add(cursor.kind() + " " + cursor.deletion() + cursor.starting());
                    continue;
                }
                seen.add(cursor.kind() + " "
                        + new Liveness(cursor.timestamp(), cursor.ttl(), cursor.localDeletionTime())
                        + cursor.deletion() + cursor.isShadowable());
                while (cursor.nextColumn()) {
                    seen.add(cursor.column() + " " + cursor.columnDeletion());
                    while (cursor.nextCell()) {
                        seen.add(cell(
                                cursor.path(),
                                cursor.cellTimestamp(),
                                cursor.cellTtl(),
                                cursor.cellLocalDeletionTime(),
                                cursor.value()));
                    }
                }
            }
        }
        return seen;
    }

    private static List<String> described(SSTable sstable) throws IOException {
        List<String> described = new ArrayList<>();
        try (PartitionReader reader = PartitionReader.open(sstable)) {
            boolean hasStatics = !reader.header().staticColumns().isEmpty();
            for (Optional<Partition> next = reader.next(); next.isPresent(); next = reader.next()) {
                PartitionHeader header = next.get().header();
                described.add("partition " + header.key() + header.deletion());
                if (hasStatics) {
                    describe(header.staticRow(), described);
                }
                for (Optional<Unfiltered> item = next.get().next();
                        item.isPresent();
                        item = next.get().next()) {
                    describe(item.get(), described);
                }
            }
        }
        return described;
    }

    private static void describe(Unfiltered item, List<String> described) {
        if (item instanceof Marker marker) {
            described.add(marker.clustering().kind() + " " + marker.ending() + marker.starting());
        } else if (item instanceof Row row) {
            described.add(row.clustering().kind() + " " + row.liveness() + row.deletion() + row.isShadowable());
            for (ColumnData data : row.columns()) {
                DeletionTime deletion = data instanceof ComplexColumn complex ? complex.deletion() : DeletionTime.LIVE;
                described.add(data.column() + " " + deletion);
                List<Cell> cells = data instanceof ComplexColumn complex ? complex.cells() : List.of((Cell) data);
                cells.forEach(cell -> described.add(
                        cell(cell.path(), cell.timestamp(), cell.ttl(), cell.localDeletionTime(), cell.value())));
            }
        }
    }

    private static String cell(Bytes path, long timestamp, int ttl, long localDeletionTime, Bytes value) {
        return path + " " + timestamp + " " + ttl + " " + localDeletionTime + " " + value;
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void shows_what_the_objects_hold(Fixture fixture) throws IOException {
        SSTable sstable = fixture.open();

        try (RowCursor cursor = RowCursor.open(sstable, TokenRanges.FULL)) {
            assertThat(seen(cursor)).isEqualTo(described(sstable));
        }
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void passes_over_what_is_not_asked_for(Fixture fixture) throws IOException {
        SSTable sstable = fixture.open();
        List<PartitionKey> keys = new ArrayList<>();
        try (PartitionCursor index = sstable.partitions()) {
            for (Optional<PartitionEntry> entry = index.next(); entry.isPresent(); entry = index.next()) {
                keys.add(entry.get().key());
            }
        }

        try (RowCursor cursor = RowCursor.open(sstable, TokenRanges.FULL)) {
            for (PartitionKey key : keys) {
                assertThat(cursor.nextPartition()).isTrue();
                assertThat(cursor.key()).isEqualTo(key);
                assertThat(cursor.token()).isEqualTo(key.token().value());
                if (cursor.nextItem() && cursor.nextColumn()) {
                    cursor.nextCell();
                }
            }
            assertThat(cursor.nextPartition()).isFalse();
        }
    }

    private SSTable write(List<Integer> valueLengths) throws IOException {
        Descriptor descriptor = new Descriptor(Version.OA, new SSTableId.Sequence(1));
        try (var writer = SSTableWriter.create(directory, descriptor, HEADER, WriterOptions.DEFAULTS)) {
            writer.start(PartitionHeader.of(PartitionKey.of(Bytes.utf8("a"))));
            for (int i = 0; i < valueLengths.size(); i++) {
                Bytes value = Bytes.wrap(new byte[valueLengths.get(i)]);
                writer.add(Row.inserted(ClusteringPrefix.row(Bytes.ofInt(i)), 1, List.of(Cell.of(VALUE, 1, value))));
            }
            writer.end();
            return writer.finish();
        }
    }

    @Test
    void reads_rows_that_are_longer_than_its_window() throws IOException {
        List<Integer> lengths = List.of(10, 70_000, 1, 3 << 20, 131_072, 5, 65_536);
        List<Integer> read = new ArrayList<>();

        try (RowCursor cursor = RowCursor.open(write(lengths), TokenRanges.FULL)) {
            cursor.nextPartition();
            while (cursor.nextItem()) {
                cursor.nextColumn();
                cursor.nextCell();
                read.add(cursor.valueLength());
            }
        }

        assertThat(read).isEqualTo(lengths);
    }
}
