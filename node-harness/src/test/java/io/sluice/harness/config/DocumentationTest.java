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
                .anyMatch(line -> line.startsWith("| `" + code + "` | " + again + " | ")
                        && line.split("\\|", -1)[4].strip().length() > 10);
    }

    @Test
    void every_setting_is_explained_with_its_default() throws IOException {
        String guide = Files.readString(GUIDE);

        assertThat(SluiceConfig.ALL)
                .allSatisfy(setting -> assertThat(guide.lines()
                                .filter(line -> line.startsWith("| `"))
                                .filter(line -> line.split("\\|", -1)[1].contains("`" + setting.key() + "`")))
                        .as(setting.key())
                        .singleElement()
                        .asString()
                        .contains(setting.fallback().orElseThrow()));
    }
}
