package io.sluice.cassandra.ring;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.ClusteringOrder;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.internal.core.metadata.schema.DefaultColumnMetadata;
import com.datastax.oss.driver.internal.core.metadata.schema.DefaultTableMetadata;
import com.datastax.oss.driver.internal.core.type.UserDefinedTypeBuilder;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.data.Column;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.CqlType.Scalar;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DriverColumnsTest {
    private static final CqlIdentifier NAME = CqlIdentifier.fromInternal("t");

    record Same(DataType ofDriver, CqlType ours) {}

    static Stream<Same> types() {
        var user = new UserDefinedTypeBuilder("d", "u").withField("f", DataTypes.TEXT);
        CqlType fields = new CqlType.UserType("d", "u", List.of(new CqlType.UserType.Field("f", Scalar.TEXT)));
        return Stream.of(
                new Same(DataTypes.ASCII, Scalar.ASCII),
                new Same(DataTypes.BIGINT, Scalar.BIGINT),
                new Same(DataTypes.BLOB, Scalar.BLOB),
                new Same(DataTypes.BOOLEAN, Scalar.BOOLEAN),
                new Same(DataTypes.COUNTER, Scalar.COUNTER),
                new Same(DataTypes.DECIMAL, Scalar.DECIMAL),
                new Same(DataTypes.DOUBLE, Scalar.DOUBLE),
                new Same(DataTypes.FLOAT, Scalar.FLOAT),
                new Same(DataTypes.INT, Scalar.INT),
                new Same(DataTypes.TIMESTAMP, Scalar.TIMESTAMP),
                new Same(DataTypes.UUID, Scalar.UUID),
                new Same(DataTypes.VARINT, Scalar.VARINT),
                new Same(DataTypes.TIMEUUID, Scalar.TIMEUUID),
                new Same(DataTypes.INET, Scalar.INET),
                new Same(DataTypes.DATE, Scalar.DATE),
                new Same(DataTypes.TEXT, Scalar.TEXT),
                new Same(DataTypes.TIME, Scalar.TIME),
                new Same(DataTypes.SMALLINT, Scalar.SMALLINT),
                new Same(DataTypes.TINYINT, Scalar.TINYINT),
                new Same(DataTypes.DURATION, Scalar.DURATION),
                new Same(DataTypes.custom("org.apache.cassandra.db.marshal.DateType"), Scalar.OLD_DATE),
                new Same(DataTypes.custom("empty"), Scalar.EMPTY),
                new Same(DataTypes.listOf(DataTypes.INT), new CqlType.ListOf(Scalar.INT)),
                new Same(DataTypes.frozenSetOf(DataTypes.INT), new CqlType.Frozen(new CqlType.SetOf(Scalar.INT))),
                new Same(DataTypes.mapOf(DataTypes.INT, DataTypes.TEXT), new CqlType.MapOf(Scalar.INT, Scalar.TEXT)),
                new Same(DataTypes.tupleOf(DataTypes.INT), new CqlType.Tuple(List.of(Scalar.INT))),
                new Same(DataTypes.vectorOf(DataTypes.FLOAT, 3), new CqlType.Vector(Scalar.FLOAT, 3)),
                new Same(user.build(), fields),
                new Same(user.frozen().build(), new CqlType.Frozen(fields)));
    }

    @ParameterizedTest
    @MethodSource("types")
    void a_type_of_the_driver_is_one_of_ours(Same type) throws SSTableException {
        assertThat(DriverColumns.type(type.ofDriver())).isEqualTo(type.ours());
    }

    @Test
    void columns_have_their_kind_and_order() {
        TableMetadata table = table(false, DataTypes.INT);

        assertThat(new DriverColumns(Map.of("t", Set.of(Bytes.utf8("old")))).of(table))
                .contains(new LiveColumns(
                        List.of(Column.of("k", Scalar.INT)),
                        List.of(Column.of("c", new CqlType.Reversed(Scalar.INT)), Column.of("e", Scalar.INT)),
                        List.of(Column.of("s", Scalar.INT)),
                        List.of(Column.of("v", Scalar.INT)),
                        Set.of(Bytes.utf8("old"))));
    }

    @Test
    void the_columns_of_a_table_with_a_type_of_a_user_are_unknown() {
        TableMetadata table = table(false, DataTypes.custom("com.example.TheirType"));

        assertThat(new DriverColumns(Map.of()).of(table)).isEmpty();
    }

    /** The driver hides some of them. */
    @Test
    void the_columns_of_a_table_with_compact_storage_are_unknown() {
        assertThat(new DriverColumns(Map.of()).of(table(true, DataTypes.INT))).isEmpty();
    }

    private static TableMetadata table(boolean isCompact, DataType type) {
        ColumnMetadata key = column("k", DataTypes.INT, false);
        Map<ColumnMetadata, ClusteringOrder> clustering = new LinkedHashMap<>();
        clustering.put(column("c", DataTypes.INT, false), ClusteringOrder.DESC);
        clustering.put(column("e", DataTypes.INT, false), ClusteringOrder.ASC);
        Map<CqlIdentifier, ColumnMetadata> all = new LinkedHashMap<>();
        all.put(key.getName(), key);
        clustering.keySet().forEach(column -> all.put(column.getName(), column));
        for (ColumnMetadata column : List.of(column("s", DataTypes.INT, true), column("v", type, false))) {
            all.put(column.getName(), column);
        }
        return new DefaultTableMetadata(
                NAME, NAME, new UUID(1, 1), isCompact, false, List.of(key), clustering, all, Map.of(), Map.of());
    }

    private static ColumnMetadata column(String name, DataType type, boolean isStatic) {
        return new DefaultColumnMetadata(NAME, NAME, CqlIdentifier.fromInternal(name), type, isStatic);
    }
}
