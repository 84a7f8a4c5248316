package io.sluice.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.data.ClusteringPrefix.Kind;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.CqlType.Scalar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ComparableClusteringTest {
    /** Those of the reference's lines. */
    private static final List<CqlType> TYPES =
            List.of(Scalar.INT, new CqlType.Reversed(Scalar.TEXT), Scalar.TEXT, new CqlType.Reversed(Scalar.INT));

    private record Given(ClusteringPrefix place, String form) {}

    private static List<Given> given() throws IOException {
        List<Given> given = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("src/test/resources/comparable.tsv"))) {
            String[] fields = line.split("\t", -1);
            if (fields[0].equals("prefix") && fields[1].startsWith("Int32Type|Reversed")) {
                given.add(new Given(place(fields[2]), fields[3]));
            }
        }
        return given;
    }

    private static ClusteringPrefix place(String text) {
        String[] parts = text.split(":", -1);
        Kind kind = parts[0].equals("ROW")
                ? Kind.ROW
                : Kind.ofNumber(Integer.parseInt(parts[0])).orElseThrow();
        @Nullable
        Bytes[] values = Arrays.stream(parts[1].split(",", -1))
                .map(value -> value.equals("null") ? null : Bytes.hex(value))
                .toArray(Bytes[]::new);
        return ClusteringPrefix.ofNullable(kind, values);
    }

    @Test
    void places_have_the_form_that_the_reference_gives() throws IOException {
        assertThat(given()).hasSizeGreaterThan(40);
        for (Given given : given()) {
            assertThat(Bytes.wrap(new ComparableClustering(TYPES).of(given.place()))
                            .hex())
                    .as(given.place().toString())
                    .isEqualTo(given.form());
        }
    }

    @Test
    void forms_order_as_places_do() throws IOException {
        var order = new ClusteringOrder(TYPES);
        var comparable = new ComparableClustering(TYPES);
        for (Given one : given()) {
            for (Given other : given()) {
                int expected = Integer.signum(order.compare(one.place(), other.place()));

                assertThat(Integer.signum(
                                Arrays.compareUnsigned(comparable.of(one.place()), comparable.of(other.place()))))
                        .as("%s, %s", one, other)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void a_value_that_is_not_of_its_type_is_named() {
        assertThatThrownBy(() ->
                        new ComparableClustering(List.of(Scalar.UUID)).of(ClusteringPrefix.row(Bytes.hex("0102"))))
                .isInstanceOf(SSTableException.class)
                .hasMessageContaining("ROW(0102) (expected: values of [org.apache.cassandra.db.marshal.UUIDType]");
    }

    @Test
    void what_follows_the_last_item_is_greater_even_if_it_ends_in_ff() {
        assertThat(RowTrie.behind(new byte[] {0x40, -1, -1, 0x38}, new byte[] {0x40}))
                .containsExactly(0x40, -1, -1, 0x39);
        assertThat(RowTrie.behind(new byte[] {0x40, 5, 0x38}, new byte[] {0x40, 3}))
                .containsExactly(0x40, 6);
    }
}
