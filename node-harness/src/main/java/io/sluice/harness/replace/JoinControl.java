package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages;
import io.sluice.harness.agent.AgentMessages.Hook;
import io.sluice.harness.agent.AgentMessages.Rebuild;
import io.sluice.harness.agent.HookState;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Orders of an operator to the node that waits or is rebuilt, while a {@link Join} brings its data. Immutable. */
public final class JoinControl {
    private final Members members;

    public JoinControl(Members members) {
        this.members = members;
    }

    /** A node and the wait that it is in. */
    private record Waiting(Member member, UUID operation) {}

    /**
     * Fetches nothing more, or goes on; digests and imports that run are not stopped.
     *
     * @return the node
     * @throws IOException if no node waits, or more than one, or its agent refuses
     */
    public Member pause(boolean isPaused) throws IOException {
        Waiting waiting = waiting();
        waiting.member().agent().pause(new AgentMessages.Pause(waiting.operation(), isPaused));
        return waiting.member();
    }

    /**
     * Sets the limit of what it receives, until it goes on.
     *
     * @param bytesPerSecond 0 for none
     * @return the node
     * @throws IOException if no node waits, or more than one, or its agent refuses
     */
    public Member throughput(long bytesPerSecond) throws IOException {
        Waiting waiting = waiting();
        waiting.member().agent().throughput(new AgentMessages.Throughput(waiting.operation(), bytesPerSecond));
        return waiting.member();
    }

    private static Optional<UUID> operation(Member member) {
        return member.status()
                .hook()
                .filter(hook -> hook.state() == HookState.HOLDING)
                .map(Hook::holdId)
                .map(UUID::fromString)
                .or(() -> member.status().rebuild().map(Rebuild::operation));
    }

    private Waiting waiting() throws IOException {
        List<Member> answering = members.all();
        List<Waiting> waiting = answering.stream()
                .flatMap(member -> operation(member).map(operation -> new Waiting(member, operation)).stream())
                .toList();
        if (waiting.size() != 1) {
            String silent = waiting.isEmpty() ? members.whySilent() : "";
            throw new IOException((waiting.isEmpty() ? nobody(answering, silent) : waiting.size() + " nodes wait")
                    + " (expected: --agent with the agent of the one that waits, or is rebuilt)" + silent);
        }
        return waiting.get(0);
    }

    private static String nobody(List<Member> answering, String silent) {
        if (answering.isEmpty()) {
            return "no agent says how its node is";
        }
        return silent.isEmpty() ? "no node waits for its data" : "no node of those that answer waits for its data";
    }
}
