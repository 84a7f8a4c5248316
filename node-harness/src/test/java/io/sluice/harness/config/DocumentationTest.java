package io.sluice.harness.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.streaming.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an operator looks up is there. */
class DocumentationTest {
    private static final Path PAGES = Path.of("..", "docs");
    private static final Path GUIDE = PAGES.resolve("operations.md");
    private static final Pattern NAMED_TEST = Pattern.compile("`([A-Z]\\w*Test)`");

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void every_error_code_says_what_to_do_and_whether_it_may_be_tried_again(ErrorCode code) throws IOException {
        String again = code.isRetryable() ? "yes" : "no";

        assertThat(Files.readAllLines(GUIDE))
                .anyMatch(line -> line.startsWith("| `" + code + "` | " + code.code() + " | " + again + " | ")
                        && line.split("\\|", -1)[5].strip().length() > 10);
    }

    @Test
    void every_test_that_a_page_names_is_there() throws IOException {
        Set<String> tests = new TreeSet<>();
        for (Path module : LocalFiles.entries(Path.of(".."))) {
            Path sources = module.resolve("src").resolve("test");
            for (Path file : Files.exists(sources) ? LocalFiles.tree(sources) : List.<Path>of()) {
                tests.add(file.getFileName().toString());
            }
        }
        Set<String> named = new TreeSet<>();
        for (Path page : LocalFiles.entries(PAGES)) {
            if (page.toString().endsWith(".md")) {
                NAMED_TEST
                        .matcher(Files.readString(page))
                        .results()
                        .forEach(test -> named.add(test.group(1) + ".java"));
            }
        }
        assertThat(named).hasSizeGreaterThan(50);

        named.removeAll(tests);

        assertThat(named).isEmpty();
    }

    /** After a change of a declaration: node-harness/target/settings.md is what the page has to say. */
    @Test
    void the_table_of_settings_is_what_is_declared() throws IOException {
        Files.writeString(Path.of("target", "settings.md"), SettingsPages.table());

        assertThat(Files.readString(GUIDE)).contains("\n\n" + SettingsPages.table() + "\n");
    }
}
