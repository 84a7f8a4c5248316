package io.sluice.cassandra.load;

import io.sluice.cassandra.ring.LiveColumns;
import io.sluice.cassandra.ring.LiveTable;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.data.Column;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.type.CqlType;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the columns of an SSTable with those of the table: a node accepts an SSTable with other types, and reads
 * nothing or something else then. Immutable.
 */
record ColumnCheck(SSTable sstable, LiveTable table, LiveColumns live) {
    private static final Logger LOG = LoggerFactory.getLogger(ColumnCheck.class);

    /**
     * Does nothing if the columns of the table are unknown, or the SSTable has a type that is: it may be fine.
     *
     * @throws StreamException of code {@link ErrorCode#SCHEMA} if nodes would not read the SSTable as it was written
     * @throws SSTableException if the SSTable's header is malformed
     */
    static void requireReadable(SSTable sstable, LiveTable table) throws SSTableException {
        if (table.columns().isPresent()) {
            Optional<SerializationHeader> header = header(sstable);
            if (header.isPresent()) {
                new ColumnCheck(sstable, table, table.columns().get()).compare(header.get());
            }
        }
    }

    private static Optional<SerializationHeader> header(SSTable sstable) throws SSTableException {
        try {
            return Optional.of(SerializationHeader.parse(sstable.statistics().header()));
        } catch (SSTableException e) {
            if (e.isUnsupported()) {
                LOG.info("columns of {} are not compared with the table: {}", sstable, e.getMessage());
                return Optional.empty();
            }
            throw new SSTableException(sstable.path(Component.STATISTICS) + ": " + e.getMessage(), e);
        }
    }

    private void compare(SerializationHeader header) {
        List<CqlType> key =
                header.keyType() instanceof CqlType.Composite composite ? composite.parts() : List.of(header.keyType());
        compareKeys("partition key", live.partitionKey(), key, ReadableTypes::isReadableKey);
        compareKeys("clustering", live.clustering(), header.clusteringTypes(), ReadableTypes::isReadableClustering);
        header.staticColumns().forEach(column -> compare("static", column, live.statics(), live.regulars()));
        header.regularColumns().forEach(column -> compare("regular", column, live.regulars(), live.statics()));
    }

    private void compareKeys(
            String kind, List<Column> columns, List<CqlType> stored, BiPredicate<CqlType, CqlType> isReadable) {
        if (columns.size() != stored.size()) {
            throw refusal(kind + " columns: " + texts(stored) + ", those of " + table + ": "
                    + texts(columns.stream().map(Column::type).toList()));
        }
        for (int i = 0; i < stored.size(); i++) {
            Column column = columns.get(i);
            if (!isReadable.test(column.type(), stored.get(i))) {
                throw refusal(kind + " column " + column + " is " + text(stored.get(i)) + ", in " + table + " "
                        + text(column.type()));
            }
        }
    }

    private void compare(String kind, Column stored, List<Column> ofKind, List<Column> ofOther) {
        // A column without values, of old tables without regular ones, is hidden or has another type now.
        if (stored.type() == CqlType.Scalar.EMPTY) {
            return;
        }
        Optional<Column> column = named(stored, ofKind);
        if (column.isPresent()) {
            if (!ReadableTypes.isReadableColumn(column.get().type(), stored.type())) {
                throw refusal("column " + stored + " is " + text(stored.type()) + ", in " + table + " "
                        + text(column.get().type()));
            }
            return;
        }
        if (live.dropped().contains(stored.name())) {
            return;
        }
        if (named(stored, ofOther).isPresent()) {
            throw refusal("column " + stored + " is " + kind + ", in " + table + " it is not");
        }
        throw new StreamException(
                ErrorCode.SCHEMA,
                sstable + ": has column " + stored + " (" + text(stored.type()) + "), which " + table
                        + " has not (expected: add it, or add and drop it, as at the source)");
    }

    private static Optional<Column> named(Column stored, List<Column> columns) {
        return columns.stream()
                .filter(column -> column.name().equals(stored.name()))
                .findFirst();
    }

    private StreamException refusal(String difference) {
        return new StreamException(
                ErrorCode.SCHEMA,
                sstable + ": " + difference
                        + " (expected: as at the source; the nodes would accept it, and misread it)");
    }

    private static String texts(List<CqlType> types) {
        return types.stream().map(ColumnCheck::text).collect(Collectors.joining(", ", "[", "]"));
    }

    /** As in CQL; of a user type with its fields, in which they may differ. */
    private static String text(CqlType type) {
        if (type instanceof CqlType.Reversed reversed) {
            return text(reversed.inner()) + " DESC";
        }
        if (type instanceof CqlType.Frozen frozen) {
            return "frozen<" + text(frozen.inner()) + ">";
        }
        if (type instanceof CqlType.ListOf list) {
            return "list<" + text(list.element()) + ">";
        }
        if (type instanceof CqlType.SetOf set) {
            return "set<" + text(set.element()) + ">";
        }
        if (type instanceof CqlType.MapOf map) {
            return "map<" + text(map.key()) + ", " + text(map.value()) + ">";
        }
        if (type instanceof CqlType.Vector vector) {
            return "vector<" + text(vector.element()) + ", " + vector.dimension() + ">";
        }
        if (type instanceof CqlType.Tuple tuple) {
            return "tuple" + texts(tuple.elements());
        }
        if (type instanceof CqlType.UserType user) {
            return user.name()
                    + texts(user.fields().stream()
                            .map(CqlType.UserType.Field::type)
                            .toList());
        }
        return type instanceof CqlType.Scalar scalar ? scalar.name().toLowerCase(Locale.ROOT) : type.className();
    }
}
