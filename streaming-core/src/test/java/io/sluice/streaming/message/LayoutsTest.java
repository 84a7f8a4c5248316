package io.sluice.streaming.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

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
}
