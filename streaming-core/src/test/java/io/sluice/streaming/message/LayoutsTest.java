package io.sluice.streaming.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.plan.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The bytes of messages are written down twice, for readers of the code and of the pages: both say the same. */
class LayoutsTest {
    private static final Path CODE = Path.of("src/main/java/io/sluice/streaming/message/package-info.java");
    private static final Path PAGE = Path.of("..", "docs", "wire-protocol.md");
    private static final Pattern FIELD = Pattern.compile("\\b(u8|u16|i32|i64|string|uuid|ranges|descriptor)\\b");
    private static final Pattern COMPONENT = Pattern.compile("\\b(\\d+) (Statistics|CompressionInfo|CRC|Digest|Filter"
            + "|Summary|Index|Partitions|Rows|Data|Part|Attached)\\b");

    /** Number and name of each type, with the kinds of its fields in order. */
    private static Map<String, List<String>> types(String text, Pattern row) {
        Map<String, List<String>> types = new TreeMap<>();
        Matcher rows = row.matcher(text);
        while (rows.find()) {
            types.put(
                    rows.group(1) + " " + rows.group(2),
                    FIELD.matcher(rows.group(3))
                            .results()
                            .map(MatchResult::group)
                            .toList());
        }
        return types;
    }

    private static List<String> components(String text) {
        return COMPONENT
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .distinct()
                .toList();
    }

    @Test
    void types_and_their_fields_are_the_same_in_the_code_and_on_the_page() throws IOException {
        String code = Files.readString(CODE).replaceAll("\n \\*  {20,}", " ");
        String page = Files.readString(PAGE);

        Map<String, List<String>> inCode = types(code, Pattern.compile("(?m)^ \\* +(\\d+)  ([A-Z]\\w+) +(.*)$"));

        assertThat(inCode).hasSize(19).containsKey("1 Hello").containsKey("19 FileSums");
        assertThat(inCode.get("14 SessionFailed")).containsExactly("i32", "string");
        assertThat(types(page, Pattern.compile("(?m)^\\| (\\d+) \\| ([A-Z]\\w+) \\|[^|]*\\|(.*)\\|$")))
                .isEqualTo(inCode);
    }

    @Test
    void components_have_the_same_numbers_in_the_code_and_on_the_page() throws IOException {
        assertThat(components(Files.readString(PAGE)))
                .hasSize(12)
                .containsExactlyInAnyOrderElementsOf(components(Files.readString(CODE)));
    }

    /** Bytes of some fields, without those of the texts. */
    private static int bytes(String fields) {
        Map<String, Integer> lengths = Map.of("string", 2, "uuid", 16, "u8", 1, "u16", 2, "i32", 4);
        return FIELD.matcher(fields)
                .results()
                .mapToInt(field -> lengths.get(field.group()))
                .sum();
    }

    @ParameterizedTest
    @EnumSource(Message.Role.class)
    void a_hello_has_the_bytes_of_its_row(Message.Role role) throws IOException {
        String row = Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("| 1 | Hello |"))
                .findFirst()
                .orElseThrow();
        String body = row.split("\\|", -1)[4];
        String last = role == Message.Role.DATA
                ? body.substring(body.indexOf("data:"), body.indexOf("control and query,"))
                : body.substring(body.indexOf("control and query,"));
        UUID id = new UUID(1, 2);
        Message.Hello hello =
                new Message.Hello(Message.Cluster.named("prod"), id, id, role, id, Message.SessionNumber.FIRST, 3);

        int length = MessageCodec.encode(hello).limit()
                - MessageCodec.HEADER_LENGTH_BYTES
                - MessageCodec.TRAILER_LENGTH_BYTES;

        assertThat(bytes(body.substring(0, body.indexOf("data:"))) + bytes(last))
                .isEqualTo(length - "prod".length() - Message.Cluster.MURMUR3.length());
    }

    @Test
    void the_page_has_the_numbers_of_all_operations() throws IOException {
        String operations = Arrays.stream(Operation.values())
                .map(operation -> operation.code() + " " + operation)
                .collect(Collectors.joining(", "));

        assertThat(Files.readString(PAGE)).contains("Operations: " + operations + ";");
    }
}
