package io.sluice.harness.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.harness.json.Json;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The schema in the documentation says of the report what the code says of it. */
class ReportSchemaTest {
    static Stream<Class<?>> records() {
        Stream<Class<?>> nested =
                Arrays.stream(RunReport.class.getDeclaredClasses()).filter(Class::isRecord);
        return Stream.concat(Stream.of(RunReport.class, Spread.class), nested);
    }

    @ParameterizedTest
    @MethodSource("records")
    void every_field_is_described_with_its_type(Class<?> type) throws IOException {
        JsonNode schema =
                Json.MAPPER.readTree(Path.of("..", "docs", "report.schema.json").toFile());
        JsonNode described = type.equals(RunReport.class) ? schema : schema.at("/$defs/" + type.getSimpleName());
        List<RecordComponent> fields = List.of(type.getRecordComponents());

        assertThat(described.at("/properties").properties())
                .extracting(property -> property.getKey())
                .containsExactlyElementsOf(
                        fields.stream().map(RecordComponent::getName).toList());
        assertThat(fields)
                .allSatisfy(field -> assertThat(
                                described.at("/properties/" + field.getName()).toString())
                        .contains(expected(field)));
    }

    private static boolean isText(Class<?> type) {
        return Arrays.stream(type.getMethods()).anyMatch(method -> method.isAnnotationPresent(JsonValue.class));
    }

    private static String expected(RecordComponent field) {
        String type = field.getGenericType().getTypeName();
        if (type.startsWith("java.util.List")) {
            return "\"array\"";
        } else if (type.startsWith("java.util.Map")) {
            return "\"additionalProperties\"";
        } else if (type.startsWith("java.util.Optional")) {
            return "\"null\"";
        } else if (field.getType().isRecord() && !isText(field.getType())) {
            return "#/$defs/" + field.getType().getSimpleName();
        }
        return switch (type) {
            case "int", "long" -> "\"integer\"";
            case "double" -> "\"number\"";
            case "boolean" -> "\"boolean\"";
            default -> "\"string\"";
        };
    }
}
