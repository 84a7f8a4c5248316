package io.sluice.sstable.type;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.type.CqlType.Scalar;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TypeNamesTest {
    private static final CqlType ADDRESS = new CqlType.UserType(
            "ks",
            "address",
            List.of(
                    new CqlType.UserType.Field("street", Scalar.TEXT),
                    new CqlType.UserType.Field("zip", new CqlType.Frozen(new CqlType.SetOf(Scalar.INT)))));

    static Stream<CqlType> parametrised() {
        return Stream.of(
                new CqlType.ListOf(Scalar.INT),
                new CqlType.SetOf(Scalar.TEXT),
                new CqlType.MapOf(Scalar.UUID, new CqlType.Frozen(new CqlType.ListOf(Scalar.DECIMAL))),
                new CqlType.Tuple(List.of(Scalar.INT, Scalar.DOUBLE)),
                new CqlType.Composite(List.of(Scalar.INT, Scalar.TEXT)),
                new CqlType.Reversed(Scalar.TIMESTAMP),
                new CqlType.Vector(Scalar.FLOAT, 3),
                ADDRESS,
                new CqlType.Frozen(ADDRESS));
    }

    @ParameterizedTest
    @EnumSource
    void reads_the_name_of_every_scalar(Scalar scalar) throws SSTableException {
        assertThat(TypeNames.parse(scalar.className())).isEqualTo(scalar);
    }

    @ParameterizedTest
    @MethodSource("parametrised")
    void reads_back_what_a_type_is_called(CqlType type) throws SSTableException {
        assertThat(TypeNames.parse(type.className())).isEqualTo(type);
    }

    @Test
    void takes_the_length_of_a_fixed_vector_from_its_elements() {
        assertThat(new CqlType.Vector(Scalar.FLOAT, 3).fixedLength()).hasValue(12);
        assertThat(new CqlType.Vector(Scalar.TEXT, 3).fixedLength()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "(",
                "Int32Type)",
                "java.lang.String",
                "ListType",
                "ListType(",
                "ListType(Int32Type",
                "MapType(Int32Type)",
                "VectorType(Int32Type,0)",
                "VectorType(Int32Type,99999)",
                "VectorType(VectorType(VectorType(LongType,9999),9999),9999)",
                "UserType(ks,6z,61:Int32Type)",
                "UserType(ks,61,61Int32Type)"
            })
    void refuses_what_is_no_type(String name) {
        assertThatThrownBy(() -> TypeNames.parse(name)).isInstanceOf(SSTableException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "com.example.MineType",
                "DynamicCompositeType(b=>BytesType,i=>IntegerType)",
                "org.apache.cassandra.db.marshal.PartitionerDefinedOrder",
                "ReversedType(com.example.MineType)",
                "MapType(Int32Type,com.example.MineType(7))"
            })
    void a_type_that_is_unknown_is_no_damage(String name) {
        assertThatThrownBy(() -> TypeNames.parse(name))
                .isInstanceOfSatisfying(
                        SSTableException.class,
                        e -> assertThat(e.isUnsupported()).isTrue())
                .hasMessageContaining(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"(", "ListType", "com..MineType", "7.Type", "MapType(Int32Type)", "Int32Type)"})
    void a_name_that_is_malformed_is_damage(String name) {
        assertThatThrownBy(() -> TypeNames.parse(name))
                .isInstanceOfSatisfying(
                        SSTableException.class,
                        e -> assertThat(e.isUnsupported()).isFalse());
    }

    @Test
    void refuses_a_million_types_inside_each_other() {
        String name = "ListType(".repeat(1_000_000);

        assertThatThrownBy(() -> TypeNames.parse(name))
                .isInstanceOf(SSTableException.class)
                .hasMessageContaining("at most 64");
    }
}
