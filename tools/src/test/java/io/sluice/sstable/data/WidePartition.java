package io.sluice.sstable.data;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.sstable.type.CqlType.Scalar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A process of a small heap that writes one partition of about 100 MiB, rewrites it, and reads it. */
final class WidePartition {
    static final int ROWS = 100_000;
    private static final int VALUE_BYTES = 1 << 10;

    private WidePartition() {}

    public static void main(String... args) throws IOException {
        Path directory = Path.of(args[0]);
        Column value = Column.of("value", Scalar.BLOB);
        SerializationHeader header = new SerializationHeader(
                SerializationHeader.Base.EPOCH, Scalar.TEXT, List.of(Scalar.INT), List.of(), List.of(value));
        Bytes content = Bytes.wrap(new byte[VALUE_BYTES]);
        SSTable first;
        try (var writer = SSTableWriter.create(directory, descriptor(1), header, WriterOptions.DEFAULTS)) {
            writer.start(PartitionHeader.of(PartitionKey.of(Bytes.utf8("wide"))));
            for (int i = 0; i < ROWS; i++) {
                List<ColumnData> cells = List.of(Cell.of(value, i, content));
                writer.add(Row.inserted(ClusteringPrefix.row(Bytes.ofInt(i)), i, cells));
            }
            writer.end();
            first = writer.finish();
        }
        SSTable second;
        try (var reader = PartitionReader.open(first);
                var writer = SSTableWriter.create(directory, descriptor(2), header, WriterOptions.DEFAULTS)) {
            writer.appendAll(reader);
            second = writer.finish();
        }
        int rows = 0;
        try (RowCursor cursor = RowCursor.open(second, TokenRanges.FULL)) {
            cursor.nextPartition();
            while (cursor.nextItem()) {
                rows++;
            }
        }
        System.out.println(rows + " rows");
    }

    private static Descriptor descriptor(int id) {
        return new Descriptor(Version.NB, new SSTableId.Sequence(id));
    }
}
