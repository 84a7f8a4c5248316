package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentClient;
import io.sluice.harness.agent.OperationMode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All agents that an operator has named; asked anew each time. Immutable. */
public final class Members {
    private static final Logger LOG = LoggerFactory.getLogger(Members.class);

    private final List<AgentClient> agents;

    public Members(List<AgentClient> agents) {
        this.agents = List.copyOf(agents);
    }

    /** Those that answer. */
    List<Member> all() {
        List<Member> all = new ArrayList<>();
        for (AgentClient agent : agents) {
            try {
                all.add(new Member(agent, agent.status()));
            } catch (IOException e) {
                LOG.debug("{}: {}", agent, e.getMessage());
            }
        }
        return all;
    }

    /** All agents but that of {@code member}, whether they answer or not. */
    List<AgentClient> others(Member member) {
        return agents.stream().filter(agent -> !agent.equals(member.agent())).toList();
    }

    /** The node at this address, if its agent answers. */
    Optional<Member> named(String host) {
        return all().stream().filter(member -> member.isNamed(host)).findFirst();
    }

    /**
     * Those that may send to {@code target}: members that are up, and no others.
     *
     * @throws IOException if there is none
     */
    List<Member> sources(Member target) throws IOException {
        return live(target.endpoint());
    }

    /**
     * All members that are up but the one at {@code target}.
     *
     * @throws IOException if there is none
     */
    List<Member> live(String target) throws IOException {
        List<Member> sources = all().stream()
                .filter(member -> !member.isNamed(target))
                .filter(member -> member.status().mode() == OperationMode.NORMAL)
                .toList();
        if (sources.isEmpty()) {
            throw new IOException("no agent of a node that may send answers (expected: --agent for each live node)");
        }
        return sources;
    }
}
