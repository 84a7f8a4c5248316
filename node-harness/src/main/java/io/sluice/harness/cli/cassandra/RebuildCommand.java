package io.sluice.harness.cli.cassandra;

import io.sluice.streaming.plan.Operation;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./sluice cassandra rebuild}. Not thread-safe. */
@Command(
        name = "rebuild",
        addMethodSubcommands = false,
        sortOptions = false,
        description = {
            "Brings a member the data that it owns and lacks from all live replicas, verified.",
            "It lacks data after a start without auto_bootstrap, for example. Beside each live node runs ./sluice agent; no",
            "hook and no restart is needed. Digests of what landed are compared with those of its sources. See",
            "docs/cassandra-replace.md."
        },
        footer = {
            "",
            "Example:",
            "  ./sluice cassandra rebuild --node 10.0.0.4 --cql 10.0.0.1 --token-file agent.token \\",
            "      --agent 127.0.0.1:7181 --agent 127.0.0.1:7182 --agent 127.0.0.1:7183 --agent 127.0.0.1:7184",
            "",
            "Run again after any failure, it goes on. It ends with 0 if the node has what was verified, 4 if some keyspaces",
            "were not brought, or have no other replica, 1 if it failed, 3 if it was refused, and 5 on Ctrl-C: what the agents",
            "do then goes on."
        })
final class RebuildCommand implements Callable<Integer> {
    @Option(names = "--node", paramLabel = "HOST", required = true, description = "The member that lacks data.")
    private String node = "";

    @Option(
            names = "--from-dc",
            paramLabel = "DC",
            description = "Only nodes of this datacenter send (default: of all).")
    private @Nullable String datacenter;

    @Mixin
    private JoinOptions options = new JoinOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        return options.run(
                new JoinOptions.Wanted(Operation.REBUILD, Optional.empty(), node, Optional.ofNullable(datacenter)),
                "node " + node + " is rebuilt");
    }
}
