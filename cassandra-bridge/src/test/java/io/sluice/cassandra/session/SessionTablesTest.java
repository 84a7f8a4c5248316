package io.sluice.cassandra.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What the documentation prints is what the sessions are held to. */
class SessionTablesTest {
    private static final Path PAGE = Path.of("..", "docs", "cassandra.md");

    @Test
    void the_page_prints_all_tables() throws IOException {
        assertThat(Files.readString(PAGE))
                .contains(PushSession.RULES.toMarkdown(PushSession.State::isFinal))
                .contains(PullSession.RULES.toMarkdown(PullSession.State::isFinal))
                .contains(FollowSession.RULES.toMarkdown(FollowSession.State::isFinal));
    }
}
