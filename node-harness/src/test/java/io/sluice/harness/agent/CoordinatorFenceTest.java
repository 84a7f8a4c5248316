package io.sluice.harness.agent;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The newest coordinator orders, and no other. */
class CoordinatorFenceTest {
    private static final UUID OLDER = new UUID(1, 1);
    private static final UUID NEWER = new UUID(2, 2);

    private final CoordinatorFence fence = new CoordinatorFence();

    @Test
    void who_has_not_begun_may_order_nothing() {
        assertThatThrownBy(() -> fence.require(OLDER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has not begun at this agent");
    }

    @Test
    void an_older_one_may_order_nothing_once_another_has_begun() {
        fence.begin(OLDER);
        assertThatCode(() -> fence.require(OLDER)).doesNotThrowAnyException();

        fence.begin(NEWER);

        assertThatCode(() -> fence.require(NEWER)).doesNotThrowAnyException();
        assertThatThrownBy(() -> fence.require(OLDER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(OLDER + " is not the newest at this agent: " + NEWER + " began after it");
    }
}
