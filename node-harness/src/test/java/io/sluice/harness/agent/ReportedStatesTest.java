package io.sluice.harness.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What hooks and nodes report as text is one of a closed set. */
class ReportedStatesTest {
    @ParameterizedTest
    @EnumSource
    void each_state_of_a_hook_is_known_by_its_name(HookState state) {
        assertThat(HookState.of(state.name())).isEqualTo(state);
    }

    @ParameterizedTest
    @EnumSource
    void each_mode_of_a_node_is_known_by_its_name(OperationMode mode) {
        assertThat(OperationMode.of(mode.name())).isEqualTo(mode);
    }

    @Test
    void another_one_is_refused_by_a_sentence() {
        assertThatThrownBy(() -> HookState.of("WAITING"))
                .hasMessage("state of the hook: WAITING (expected: one of [IDLE, HOLDING, LET_GO]);"
                        + " run the hook and the agent of one release of Sluice");
        assertThatThrownBy(() -> OperationMode.of("UNHEARD_OF"))
                .hasMessageStartingWith("mode of the node: UNHEARD_OF (expected: one of [STARTING, NORMAL, ");
    }
}
