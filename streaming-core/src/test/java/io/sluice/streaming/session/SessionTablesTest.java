package io.sluice.streaming.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
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

    @Test
    void each_event_of_a_plan_has_a_kind_of_its_own() {
        assertThat(Arrays.stream(PlanCoordinator.Event.class.getPermittedSubclasses())
                        .map(event -> event.getSimpleName()
                                .replaceAll("(?<=[a-z])(?=[A-Z])", "_")
                                .toUpperCase(Locale.ROOT)))
                .containsExactlyInAnyOrder(
                        Arrays.stream(PlanRules.Kind.values()).map(Enum::name).toArray(String[]::new));
    }
}
