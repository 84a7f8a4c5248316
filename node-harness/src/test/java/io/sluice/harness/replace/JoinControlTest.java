package io.sluice.harness.replace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.agent.AgentClient;
import io.sluice.harness.agent.AgentMessages.Hook;
import io.sluice.harness.agent.AgentMessages.Rebuild;
import io.sluice.harness.agent.HookState;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an operator says to a running replacement reaches the node that waits, and names its wait. */
class JoinControlTest {
    private static final UUID HOLD = new UUID(7, 7);

    private FakeAgent source;
    private FakeAgent target;

    @BeforeEach
    void start() throws IOException {
        source = new FakeAgent("10.0.0.1:7000");
        target = new FakeAgent("10.0.0.4:7000");
    }

    @AfterEach
    void stop() throws IOException {
        source.close();
        target.close();
    }

    private JoinControl control() {
        return new JoinControl(new Members(List.of(source.client(), target.client())));
    }

    /** Nobody listens there any more. */
    private static AgentClient gone() throws IOException {
        try (FakeAgent agent = new FakeAgent("10.0.0.5:7000")) {
            return agent.client();
        }
    }

    private static Hook hook(HookState state) {
        return new Hook(state, HOLD.toString(), "Bootstrap", 1, "", Map.of(), Map.of());
    }

    @Test
    void a_pause_is_an_order_about_the_wait_of_the_node() throws Exception {
        target.hook(hook(HookState.HOLDING));

        assertThat(control().pause(true)).hasToString("10.0.0.4:7000");
        control().pause(false);

        assertThat(target.orders())
                .containsExactly(
                        "/pause {\"operation\":\"" + HOLD + "\",\"isPaused\":true}",
                        "/pause {\"operation\":\"" + HOLD + "\",\"isPaused\":false}");
        assertThat(source.orders()).isEmpty();
    }

    @Test
    void so_is_a_limit() throws Exception {
        target.hook(hook(HookState.HOLDING));

        control().throughput(1_000);

        assertThat(target.orders())
                .containsExactly("/throughput {\"operation\":\"" + HOLD + "\",\"bytesPerSecond\":1000}");
    }

    @Test
    void a_node_that_is_rebuilt_is_told_too() throws Exception {
        target.hook(hook(HookState.LET_GO));
        target.rebuild(new Rebuild(new UUID(8, 8), 1, Map.of()));

        control().pause(true);

        assertThat(target.orders())
                .containsExactly("/pause {\"operation\":\"" + new UUID(8, 8) + "\",\"isPaused\":true}");
    }

    @Test
    void without_a_node_that_waits_there_is_nobody_to_tell() {
        target.hook(hook(HookState.LET_GO));

        assertThatThrownBy(() -> control().pause(true))
                .isInstanceOf(IOException.class)
                .hasMessage("no node waits for its data (expected: --agent with the agent of the one that waits, or is"
                        + " rebuilt)");
        assertThat(target.orders()).isEmpty();
    }

    @Test
    void an_agent_that_does_not_answer_may_be_that_of_the_node_that_waits() throws Exception {
        AgentClient gone = gone();
        JoinControl control = new JoinControl(new Members(List.of(source.client(), gone)));

        assertThatThrownBy(() -> control.pause(true))
                .hasMessageStartingWith("no node of those that answer waits for its data (expected: ")
                .hasMessageContaining(gone + " does not answer: nobody listens at ");
    }

    @Test
    void an_agent_with_another_token_says_so() {
        target.hook(hook(HookState.HOLDING));
        JoinControl control = new JoinControl(new Members(List.of(target.client(new AdminToken("1".repeat(64))))));

        assertThatThrownBy(() -> control.throughput(1))
                .hasMessageStartingWith("no agent says how its node is (expected: ")
                .hasMessageContaining(target.client() + ": ")
                .hasMessageContaining("token");
        assertThat(target.orders()).isEmpty();
    }

    @Test
    void of_two_nodes_that_wait_none_is_told() {
        target.hook(hook(HookState.HOLDING));
        source.hook(hook(HookState.HOLDING));

        assertThatThrownBy(() -> control().throughput(1)).hasMessageStartingWith("2 nodes wait");
        assertThat(target.orders()).isEmpty();
    }
}
