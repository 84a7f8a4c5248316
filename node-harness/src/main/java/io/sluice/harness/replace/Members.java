package io.sluice.harness.replace;

import io.sluice.harness.admin.AdminException;
import io.sluice.harness.agent.AgentClient;
import io.sluice.harness.agent.OperationMode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All agents that an operator has named; asked anew each time. Immutable. */
public final class Members {
    private static final Logger LOG = LoggerFactory.getLogger(Members.class);

    private final List<AgentClient> agents;

    public Members(List<AgentClient> agents) {
        this.agents = List.copyOf(agents);
    }

    /** Those that answer; each node once, though its agent may have been named twice, or by two ways to it. */
    List<Member> all() {
        Map<String, Member> all = new LinkedHashMap<>();
        for (AgentClient agent : agents) {
            try {
                Member member = new Member(agent, agent.status());
                all.putIfAbsent(member.endpoint(), member);
            } catch (IOException e) {
                LOG.debug("{}: {}", agent, e.getMessage());
            }
        }
        return List.copyOf(all.values());
    }

    /** What agents say that answer, but not how their node is: as when it is in a mode that they do not know. */
    List<String> problems() {
        return problems(AdminException::isRefused);
    }

    /** Why each agent is silent that does not say how its node is, as the end of a sentence; empty if all say it. */
    String whySilent() {
        return problems(any -> true).stream().map(problem -> "; " + problem).collect(Collectors.joining());
    }

    /** The same of agents that have just been started, and have not reached their nodes yet. */
    List<String> starting() {
        return problems(AdminException::isStarting);
    }

    private List<String> problems(Predicate<AdminException> which) {
        List<String> problems = new ArrayList<>();
        for (AgentClient agent : agents) {
            try {
                agent.status();
            } catch (IOException e) {
                if (e instanceof AdminException answer && which.test(answer)) {
                    problems.add(String.valueOf(e.getMessage()));
                } else {
                    LOG.debug("{}: {}", agent, e.getMessage()); // it is said elsewhere that it does not answer
                }
            }
        }
        return problems;
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
        List<Member> sources = allBut(target);
        if (sources.isEmpty()) {
            throw new IOException(
                    "no agent of a node that may send answers (expected: --agent for each live node)" + whySilent());
        }
        return sources;
    }

    /** All members that are up but the one at {@code target}, if there are any. */
    List<Member> allBut(String target) {
        return all().stream()
                .filter(member -> !member.isNamed(target))
                .filter(member -> member.status().mode() == OperationMode.NORMAL)
                .toList();
    }
}
