package io.sluice.harness.cli.cassandra;

import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.agent.AgentClient;
import io.sluice.harness.cli.TextFile;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.replace.JoinControl;
import io.sluice.harness.replace.Member;
import io.sluice.harness.replace.Members;
import io.sluice.harness.report.Step;
import io.sluice.harness.report.WorkProgress;
import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The agents that a command talks to. Not thread-safe. */
final class NamedAgents {
    @Option(
            names = "--agent",
            paramLabel = "HOST:PORT",
            required = true,
            description = "The admin endpoint of an agent; once for each live node, and for the new one.")
    private List<String> agents = new ArrayList<>();

    @Option(names = "--token-file", paramLabel = "FILE", required = true, description = "The token of the agents.")
    private Path tokenFile = Path.of("");

    /** @throws ConfigException if an address or the token is none */
    Members members() {
        AdminToken token = TextFile.token(tokenFile, "the --token-file of the agents");
        return new Members(agents.stream()
                .map(NamedAgents::address)
                .distinct()
                .map(address -> new AgentClient(address, token))
                .toList());
    }

    /** An order to the node that waits, which it returns. */
    interface Order {
        /** Gives it. */
        Member give(JoinControl control) throws IOException;
    }

    /**
     * Gives an order; says what is waited for meanwhile: an agent that is none may not answer for long.
     *
     * @throws ConfigException if an address or the token is none
     */
    Member give(Order order) throws IOException {
        JoinControl control = new JoinControl(members());
        Step waiting = Step.ofBytes("waiting for answers of the agents", 0, 0);
        WorkProgress shown = WorkProgress.of(() -> waiting);
        try {
            return order.give(control);
        } finally {
            shown.close();
        }
    }

    private static Address address(String text) {
        try {
            return Address.parse(text);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("--agent " + text + " (expected: HOST:PORT)", e);
        }
    }
}
