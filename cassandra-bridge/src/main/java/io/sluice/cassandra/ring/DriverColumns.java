package io.sluice.cassandra.ring;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.schema.ClusteringOrder;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.CustomType;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.data.Column;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.TypeNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The columns of a keyspace's tables, from the driver's metadata. Immutable.
 *
 * @param dropped names of dropped columns, by table: the driver does not read them
 */
record DriverColumns(Map<String, Set<Bytes>> dropped) {
    private static final Logger LOG = LoggerFactory.getLogger(DriverColumns.class);

    /** Reads which columns were dropped from the tables of a keyspace. */
    static DriverColumns in(CqlSession session, String keyspace) {
        var query = SimpleStatement.newInstance(
                "SELECT table_name, column_name FROM system_schema.dropped_columns WHERE keyspace_name = ?", keyspace);
        Map<String, Set<Bytes>> dropped = new HashMap<>();
        for (Row row : session.execute(query)) {
            dropped.computeIfAbsent(String.valueOf(row.getString(0)), table -> new HashSet<>())
                    .add(Bytes.utf8(String.valueOf(row.getString(1))));
        }
        return new DriverColumns(dropped);
    }

    /**
     * The columns of a table. Empty if a type is unknown, or the table has compact storage: of this the driver hides
     * columns.
     */
    Optional<LiveColumns> of(TableMetadata table) {
        if (table.isCompactStorage()) {
            return Optional.empty();
        }
        try {
            List<Column> clustering = new ArrayList<>();
            for (Map.Entry<ColumnMetadata, ClusteringOrder> column :
                    table.getClusteringColumns().entrySet()) {
                boolean isDescending = column.getValue() == ClusteringOrder.DESC;
                Column ascending = column(column.getKey());
                clustering.add(
                        isDescending
                                ? new Column(ascending.name(), new CqlType.Reversed(ascending.type()))
                                : ascending);
            }
            List<Column> statics = new ArrayList<>();
            List<Column> regulars = new ArrayList<>();
            for (ColumnMetadata column : table.getColumns().values()) {
                if (!table.getPrimaryKey().contains(column)) {
                    (column.isStatic() ? statics : regulars).add(column(column));
                }
            }
            List<Column> partitionKey = new ArrayList<>();
            for (ColumnMetadata column : table.getPartitionKey()) {
                partitionKey.add(column(column));
            }
            String name = table.getName().asInternal();
            return Optional.of(
                    new LiveColumns(partitionKey, clustering, statics, regulars, dropped.getOrDefault(name, Set.of())));
        } catch (SSTableException unknown) {
            LOG.info("columns of {} are not compared with SSTables: {}", table.getName(), unknown.getMessage());
            return Optional.empty();
        }
    }

    private static Column column(ColumnMetadata column) throws SSTableException {
        return Column.of(column.getName().asInternal(), type(column.getType()));
    }

    /** @throws SSTableException if it is unknown */
    static CqlType type(DataType type) throws SSTableException {
        if (type instanceof ListType list) {
            return frozenIf(list.isFrozen(), new CqlType.ListOf(type(list.getElementType())));
        }
        if (type instanceof SetType set) {
            return frozenIf(set.isFrozen(), new CqlType.SetOf(type(set.getElementType())));
        }
        if (type instanceof MapType map) {
            CqlType key = type(map.getKeyType());
            return frozenIf(map.isFrozen(), new CqlType.MapOf(key, type(map.getValueType())));
        }
        if (type instanceof UserDefinedType user) {
            return frozenIf(user.isFrozen(), userType(user));
        }
        if (type instanceof TupleType tuple) {
            List<CqlType> elements = new ArrayList<>();
            for (DataType element : tuple.getComponentTypes()) {
                elements.add(type(element));
            }
            return new CqlType.Tuple(elements);
        }
        if (type instanceof VectorType vector) { // before custom types, of which it is one
            return new CqlType.Vector(type(vector.getElementType()), vector.getDimensions());
        }
        if (type instanceof CustomType custom) {
            return custom.getClassName().equals("empty") // its name in CQL, which the driver takes for that of a class
                    ? CqlType.Scalar.EMPTY
                    : TypeNames.parse(custom.getClassName());
        }
        String name = type.asCql(false, false);
        try {
            return CqlType.Scalar.valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException unknown) {
            throw new SSTableException("type " + name + " (expected: one that Sluice knows)", unknown);
        }
    }

    private static CqlType userType(UserDefinedType user) throws SSTableException {
        List<CqlType.UserType.Field> fields = new ArrayList<>();
        for (int i = 0; i < user.getFieldTypes().size(); i++) {
            String name = user.getFieldNames().get(i).asInternal();
            fields.add(
                    new CqlType.UserType.Field(name, type(user.getFieldTypes().get(i))));
        }
        String keyspace =
                Optional.ofNullable(user.getKeyspace()).map(Object::toString).orElse("");
        return new CqlType.UserType(keyspace, user.getName().asInternal(), fields);
    }

    private static CqlType frozenIf(boolean isFrozen, CqlType type) {
        return isFrozen ? new CqlType.Frozen(type) : type;
    }
}
