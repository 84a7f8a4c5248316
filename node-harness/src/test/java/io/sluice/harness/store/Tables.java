package io.sluice.harness.store;

import io.sluice.sstable.data.Cell;
import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.Column;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.PartitionSource;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.Unfiltered;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.generate.RandomTable;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.schema.SchemaException;
import io.sluice.sstable.schema.TableSchema;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.type.CqlType;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Tables and writes for tests. */
final class Tables {
    static final TableRef PLAIN = new TableRef(new UUID(1, 2), "ks", "plain");
    static final String PLAIN_CQL = "CREATE TABLE ks.plain (key text PRIMARY KEY, column1 int, value text)"
            + " WITH compression = {'enabled': false};";

    static final TableRef RICH = new TableRef(new UUID(3, 4), "ks", "rich");
    static final String RICH_CQL = "CREATE TABLE ks.rich (a text, b int, c int, d text, s int static, v int,"
            + " m map<text, int>, l set<int>, PRIMARY KEY ((a, b), c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC);";

    private Tables() {}

    /** Sets all columns of a row of {@link #PLAIN}. */
    static Mutation insert(String key, long timestamp, String value) {
        var column1 = Cell.of(Column.of("column1", CqlType.Scalar.INT), timestamp, Bytes.ofInt(value.length()));
        var text = Cell.of(Column.of("value", CqlType.Scalar.TEXT), timestamp, Bytes.utf8(value));
        return new Mutation(
                PartitionHeader.of(PartitionKey.of(Bytes.utf8(key))),
                List.of(Row.inserted(ClusteringPrefix.row(), timestamp, List.of(column1, text))));
    }

    /** Changes of the same keys for every seed, with deletions of all kinds. */
    static List<Mutation> random(long seed) throws IOException, SchemaException {
        SerializationHeader header = TableSchema.parse(RICH_CQL).header(RandomTable.BASE);
        var shape = new RandomTable.Shape(40, 12, 0.2);
        List<Mutation> mutations = new ArrayList<>();
        try (PartitionSource source = RandomTable.of(header, shape, new RandomTable.Seeds(7, seed), TokenRange.FULL)) {
            for (Optional<Partition> next = source.next(); next.isPresent(); next = source.next()) {
                List<Unfiltered> items = new ArrayList<>();
                for (var item = next.get().next();
                        item.isPresent();
                        item = next.get().next()) {
                    items.add(item.get());
                }
                mutations.add(new Mutation(next.get().header(), items));
            }
        }
        return mutations;
    }
}
