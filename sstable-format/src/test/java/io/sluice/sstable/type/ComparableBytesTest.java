package io.sluice.sstable.type;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Against what the reference gives; {@code comparable.tsv} says how it was asked. */
class ComparableBytesTest {
    private static final Path REFERENCE = Path.of("src/test/resources/comparable.tsv");

    /** One line: a value of a type, and its form. */
    private record Given(CqlType type, Bytes value, String form) {
        /** A null of the reference is the empty value where it has no form. */
        String expected() {
            return form.equals("null") ? type.isReversed() ? "41" : "3f" : "40" + form;
        }

        String ours() {
            var out = new GrowingBuffer();
            ComparableBytes.writeClustering(type, value, out);
            return out.toBytes().hex();
        }
    }

    private static List<Given> given() throws IOException {
        List<Given> given = new ArrayList<>();
        for (String line : Files.readAllLines(REFERENCE)) {
            String[] fields = line.split("\t", -1);
            if (fields[0].equals("value")) {
                given.add(new Given(TypeNames.parse(qualified(fields[1])), Bytes.hex(fields[2]), fields[3]));
            }
        }
        return given;
    }

    /** Type names stand there without their package. */
    private static String qualified(String type) {
        return type.replaceAll("([A-Z][A-Za-z0-9]*Type)", CqlType.PACKAGE.replace(".", "\\.") + "$1");
    }

    @Test
    void values_have_the_form_that_the_reference_gives() throws IOException {
        assertThat(given())
                .hasSizeGreaterThan(500)
                .allSatisfy(given -> assertThat(given.ours())
                        .as("%s %s", given.type().className(), given.value().hex())
                        .isEqualTo(given.expected()));
    }

    @Test
    void forms_order_as_values_do() throws IOException {
        Map<CqlType, List<Given>> byType = given().stream()
                // Bytes that no client writes: all but 0 are true.
                .filter(given -> given.type() != CqlType.Scalar.BOOLEAN
                        || given.form().equals(given.value().hex()))
                .collect(Collectors.groupingBy(Given::type));

        byType.forEach((type, values) -> {
            for (Given one : values) {
                for (Given other : values) {
                    int order = ValueOrder.of(type).compare(one.value(), other.value());
                    int form = one.ours().compareTo(other.ours());

                    assertThat(Integer.signum(form))
                            .as("%s %s, %s", type.className(), one, other)
                            .isEqualTo(Integer.signum(order));
                }
            }
        });
    }
}
