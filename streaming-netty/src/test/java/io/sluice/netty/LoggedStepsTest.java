package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Lines of the log about states can be looked up in the tables of the documentation. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class LoggedStepsTest {
    private static final Pattern STEP = Pattern.compile(": ([A-Z_]+) -> ([A-Z_]+) by (\\w+): ");
    private static final Path PAGE = Path.of("..", "docs", "sessions.md");

    @TempDir
    Path temp;

    @Test
    void each_change_of_a_state_is_by_a_row_of_the_tables() throws Exception {
        List<String> page = Files.readAllLines(PAGE);
        List<String> steps = new ArrayList<>();
        try (LogCapture log = new LogCapture();
                TwoNodes nodes = new TwoNodes(
                        temp, TwoNodes.FIXTURES.resolve("multi_sstable").resolve("nb"))) {
            assertThat(nodes.fetchAll().isComplete()).isTrue();
            await().until(() -> log.with("-> COMPLETE by").size() == 2);

            for (String line : log.with(" -> ")) {
                Matcher step = STEP.matcher(line);
                if (step.find()) {
                    steps.add(step.group(3));
                    assertThat(page)
                            .as(line)
                            .anyMatch(row -> row.startsWith("| " + step.group(3) + " |")
                                    && row.matches(".*→ ([A-Z_]+ or )*" + step.group(2) + "\\b.*"));
                }
            }
        }

        assertThat(steps).contains("Connected", "PrepareSyn", "Complete");
    }
}
