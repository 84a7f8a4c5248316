package io.sluice.bench.replace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Where a node is, by lines of its log. */
class JoinPhaseTest {
    private static final String HOST = "127.0.0.1";

    @Test
    void a_line_about_something_else_says_nothing() {
        assertThat(JoinPhase.in("INFO  [main] Node configuration: allocate_tokens", HOST))
                .isEmpty();
        assertThat(JoinPhase.in("", HOST)).isEmpty();
    }

    @Test
    void the_end_of_all_streams_is_recognized() {
        assertThat(JoinPhase.in("INFO  [Stream-Deserializer] [Stream #1] All sessions completed", HOST))
                .contains(JoinPhase.HAS_ALL);
    }

    @Test
    void another_node_that_becomes_normal_is_not_this_one() {
        assertThat(JoinPhase.in("Node /127.0.0.1:7000 state jump to NORMAL", HOST))
                .contains(JoinPhase.NORMAL);
        assertThat(JoinPhase.in("Node /127.0.0.1 state jump to NORMAL", HOST)).contains(JoinPhase.NORMAL);
        assertThat(JoinPhase.in("Node /127.0.0.10:7000 state jump to NORMAL", HOST))
                .isEmpty();
        assertThat(JoinPhase.in("Node /127.0.0.2:7000 state jump to NORMAL", HOST))
                .isEmpty();
        assertThat(JoinPhase.in("state jump to NORMAL of /127.0.0.1", HOST)).contains(JoinPhase.NORMAL);
    }
}
