package io.sluice.harness.cli.cassandra;

import io.sluice.streaming.plan.Operation;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./sluice cassandra bootstrap}. Not thread-safe. */
@Command(
        name = "bootstrap",
        addMethodSubcommands = false,
        sortOptions = false,
        description = {
            "Brings one more node its data from all live replicas, verified, and lets it join.",
            "Beside each live node, and the new one, runs ./sluice agent; the new one has the hook in its JVM. Digests of",
            "what landed are compared with those of its sources. See docs/cassandra-replace.md."
        },
        footer = {
            "",
            "Example, after the new node was started with auto_bootstrap and the hook:",
            "  ./sluice cassandra bootstrap --node 10.0.0.4 --cql 10.0.0.1 --token-file agent.token \\",
            "      --agent 127.0.0.1:7181 --agent 127.0.0.1:7182 --agent 127.0.0.1:7183 --agent 127.0.0.1:7184",
            "",
            "Run again after any failure, it goes on. It ends with 0 if the node has joined with what was verified, 4 if",
            "some keyspaces were left to Cassandra, or a table has to be truncated again, or may have to, 1 if it failed, 3 if",
            "it was refused, and 5 on Ctrl-C. After 1 and 5 the node waits until its agent has had no order for its",
            "--coordinator-timeout, 15 minutes by default; then Cassandra streams what is not marked, unverified.",
            "When the node has joined, nodetool cleanup at the other nodes removes what they no longer own."
        })
final class BootstrapCommand implements Callable<Integer> {
    @Option(names = "--node", paramLabel = "HOST", required = true, description = "The node that joins.")
    private String node = "";

    @Mixin
    private JoinOptions options = new JoinOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        return options.run(
                new JoinOptions.Wanted(Operation.BOOTSTRAP, Optional.empty(), node), "node " + node + " has joined");
    }
}
