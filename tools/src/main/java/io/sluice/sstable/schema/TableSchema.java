package io.sluice.sstable.schema;

import io.sluice.sstable.data.Column;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.type.CqlType;
import java.util.List;

/**
 * A table as declared in CQL. Immutable.
 *
 * @param options of its SSTables, from the table's settings
 * @param gcGraceSeconds how long a deletion must be kept, 0 or more
 */
public record TableSchema(String keyspace, String name, Columns columns, WriterOptions options, int gcGraceSeconds) {
    /** Default of {@link #gcGraceSeconds}: ten days. */
    public static final int DEFAULT_GC_GRACE_SECONDS = 864_000;

    /**
     * The columns by kind.
     *
     * @param partitionKey one or more
     * @param clustering in order; the types of descending ones are reversed
     * @param statics one value per partition
     * @param regulars one value per row
     */
    public record Columns(
            List<Column> partitionKey, List<Column> clustering, List<Column> statics, List<Column> regulars) {
        public Columns {
            partitionKey = List.copyOf(partitionKey);
            clustering = List.copyOf(clustering);
            statics = List.copyOf(statics);
            regulars = List.copyOf(regulars);
        }
    }

    /** Parses CQL; the package documentation lists what is supported. */
    public static TableSchema parse(String cql) throws SchemaException {
        return new SchemaParser(cql).parse();
    }

    /** The header of an SSTable with all columns, and times relative to {@code base}. */
    public SerializationHeader header(SerializationHeader.Base base) {
        List<CqlType> keys = columns.partitionKey().stream().map(Column::type).toList();
        return new SerializationHeader(
                base,
                keys.size() == 1 ? keys.get(0) : new CqlType.Composite(keys),
                columns.clustering().stream().map(Column::type).toList(),
                columns.statics(),
                columns.regulars());
    }
}
