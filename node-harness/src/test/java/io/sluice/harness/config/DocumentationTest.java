package io.sluice.harness.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an operator looks up is there. */
class DocumentationTest {
    private static final Path GUIDE = Path.of("..", "docs", "operations.md");

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void every_error_code_says_what_to_do_and_whether_it_may_be_tried_again(ErrorCode code) throws IOException {
        String again = code.isRetryable() ? "yes" : "no";

        assertThat(Files.readAllLines(GUIDE))
                .anyMatch(line -> line.startsWith("| `" + code + "` | " + code.code() + " | " + again + " | ")
                        && line.split("\\|", -1)[5].strip().length() > 10);
    }

    /** After a change of a declaration: node-harness/target/settings.md is what the page has to say. */
    @Test
    void the_table_of_settings_is_what_is_declared() throws IOException {
        Files.writeString(Path.of("target", "settings.md"), SettingsPages.table());

        assertThat(Files.readString(GUIDE)).contains("\n\n" + SettingsPages.table() + "\n");
    }
}
