package io.sluice.interop.live;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import io.sluice.harness.cassandra.Cql;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.data.Cell;
import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.sstable.type.CqlType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Rows as lists of column names and serialized values, of tables without deletions and collections. Stateless. */
final class LiveRows {
    private LiveRows() {}

    /** What a client of the cluster reads. */
    static List<Map<String, String>> read(Cql cql, String table) {
        CqlSession session = cql.session();
        ResultSet results = session.execute("SELECT * FROM " + table);
        List<Map<String, String>> rows = new ArrayList<>();
        for (com.datastax.oss.driver.api.core.cql.Row row : results) {
            Map<String, String> values = new TreeMap<>();
            for (int i = 0; i < row.size(); i++) {
                ByteBuffer bytes = row.getBytesUnsafe(i);
                if (bytes != null) {
                    byte[] value = new byte[bytes.remaining()];
                    bytes.get(value);
                    values.put(
                            row.getColumnDefinitions().get(i).getName().asInternal(),
                            Bytes.wrap(value).hex());
                }
            }
            rows.add(values);
        }
        return rows;
    }

    /**
     * What an SSTable holds of some ranges.
     *
     * @param keys names of the partition key's columns, then of the clustering columns
     */
    static List<Map<String, String>> of(SSTable sstable, TokenRanges ranges, List<String> keys) throws IOException {
        List<Map<String, String>> rows = new ArrayList<>();
        try (PartitionReader reader = PartitionReader.open(sstable, ranges)) {
            for (Optional<Partition> next = reader.next(); next.isPresent(); next = reader.next()) {
                Partition partition = next.get();
                List<Bytes> key =
                        parts(partition.header().key().bytes(), reader.header().keyType());
                for (var item = partition.next(); item.isPresent(); item = partition.next()) {
                    rows.add(row((Row) item.get(), key, keys));
                }
            }
        }
        return rows;
    }

    private static Map<String, String> row(Row row, List<Bytes> key, List<String> names) {
        Map<String, String> values = new TreeMap<>();
        for (int i = 0; i < key.size(); i++) {
            values.put(names.get(i), key.get(i).hex());
        }
        ClusteringPrefix clustering = row.clustering();
        for (int i = 0; i < clustering.length(); i++) {
            values.put(names.get(key.size() + i), clustering.value(i).hex());
        }
        row.columns().forEach(column -> {
            Cell cell = (Cell) column;
            values.put(cell.column().name().utf8(), cell.value().hex());
        });
        return values;
    }

    /** A composite key: each part with its length in front and a zero behind. */
    private static List<Bytes> parts(Bytes key, CqlType type) {
        if (!(type instanceof CqlType.Composite)) {
            return List.of(key);
        }
        List<Bytes> parts = new ArrayList<>();
        ByteBuffer in = key.asBuffer();
        while (in.hasRemaining()) {
            byte[] part = new byte[in.getShort()];
            in.get(part);
            in.get();
            parts.add(Bytes.wrap(part));
        }
        return parts;
    }
}
