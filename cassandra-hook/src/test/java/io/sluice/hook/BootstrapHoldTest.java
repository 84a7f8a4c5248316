package io.sluice.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A hold ends when the agent says so, or is silent for too long, and by nothing else. */
@Timeout(60)
class BootstrapHoldTest {
    private static final long LIMIT = 1_000_000_000;
    private static final Map<String, Map<String, List<String>>> PLAN =
            Map.of("shop", Map.of("10.0.0.1:7000", List.of("(0,5]"), "10.0.0.2:7000", List.of("(5,9]")));

    private final List<String> marks = new ArrayList<>();
    private final BootstrapHold hold =
            new BootstrapHold("h", PLAN, (keyspace, ranges) -> marks.add(keyspace + " " + ranges), LIMIT, 0);

    @Test
    void it_ends_by_release_and_says_so() {
        hold.letGo("released by the agent", 5_000_000);

        hold.await(() -> 6_000_000);
        assertThat(hold.isHolding()).isFalse();
        assertThat(hold.reason()).isEqualTo("released by the agent");
        assertThat(hold.heldMillis(9_000_000)).isEqualTo(5);
    }

    @Test
    void it_ends_when_the_agent_is_silent_for_the_limit() {
        AtomicLong now = new AtomicLong();
        hold.heartbeat(LIMIT - 1);

        hold.await(() -> now.getAndAdd(LIMIT / 2));

        assertThat(hold.reason()).isEqualTo("no agent called for 1 s");
        assertThat(now.get()).as("a heartbeat has made it longer").isGreaterThanOrEqualTo(2 * LIMIT);
    }

    @Test
    void it_ends_when_its_thread_is_interrupted() {
        Thread.currentThread().interrupt();

        hold.await(() -> 0);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(hold.reason()).isEqualTo("the waiting thread was interrupted");
    }

    @Test
    void planned_ranges_are_marked_and_no_others() {
        hold.mark("shop", List.of("(0,5]", "(5,9]", "(0,5]"), 1);

        assertThat(marks).containsExactly("shop [(0,5], (5,9]]");
        assertThat(hold.marked()).isEqualTo(Map.of("shop", List.of("(0,5]", "(5,9]")));
        assertThatThrownBy(() -> hold.mark("shop", List.of("(0,5]", "(0,9]"), 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("range (0,9] of keyspace shop is not in the plan");
        assertThatThrownBy(() -> hold.mark("other", List.of("(0,5]"), 1)).hasMessageContaining("not in the plan");
        assertThat(marks).hasSize(1);
    }

    @Test
    void what_cassandra_does_not_take_is_not_said_to_be_marked() {
        BootstrapHold refused = new BootstrapHold("h", PLAN, (keyspace, ranges) -> refuse(), LIMIT, 0);

        assertThatThrownBy(() -> refused.mark("shop", List.of("(0,5]"), 1)).hasMessage("no");
        assertThat(refused.marked()).isEmpty();
    }

    private static void refuse() {
        throw new IllegalStateException("no");
    }

    @Test
    void orders_that_come_too_late_are_refused() {
        assertThatThrownBy(() -> hold.mark("shop", List.of("(0,5]"), LIMIT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the node no longer waits: no agent called for 1 s");
        assertThatThrownBy(() -> hold.heartbeat(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> hold.letGo("late", 0)).isInstanceOf(IllegalStateException.class);
        assertThat(marks).isEmpty();
    }
}
