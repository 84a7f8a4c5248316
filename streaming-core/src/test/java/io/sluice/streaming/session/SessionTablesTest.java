package io.sluice.streaming.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What the documentation prints is what the sessions are held to. */
class SessionTablesTest {
    private static final Path PAGE = Path.of("..", "docs", "sessions.md");

    @Test
    void the_page_prints_all_tables() throws IOException {
        String page = Files.readString(PAGE);

        assertThat(page).contains(ReceivingRules.table().toMarkdown(ReceivingSession.State::isFinal));
        assertThat(page).contains(SendingRules.table().toMarkdown(SendingSession.State::isFinal));
        assertThat(page)
                .contains(PlanRules.table()
                        .toMarkdown(stage -> stage == PlannedTable.Stage.INSTALLED)
                        .replace(" stays: nothing |", " |"));
    }
}
