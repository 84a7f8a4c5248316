package io.sluice.harness.cli.cassandra;

import io.sluice.streaming.plan.Operation;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./sluice cassandra replace-node}. Not thread-safe. */
@Command(
        name = "replace-node",
        addMethodSubcommands = false,
        sortOptions = false,
        description = {
            "Replaces a dead node: brings the new one its data from all live replicas, verified, and lets it join.",
            "Beside each live node, and the new one, runs ./sluice agent; the new one has the hook in its JVM. Digests of",
            "what landed are compared with those of its sources. See docs/cassandra-replace.md."
        },
        footer = {
            "",
            "Example, after the new node was started with -Dcassandra.replace_address_first_boot=10.0.0.3 and the hook:",
            "  ./sluice cassandra replace-node --dead 10.0.0.3 --with 10.0.0.4 --cql 10.0.0.1 --token-file agent.token \\",
            "      --agent 127.0.0.1:7181 --agent 127.0.0.1:7182 --agent 127.0.0.1:7184",
            "",
            "Run again after any failure, it goes on. It ends with 0 if the node has joined with what was verified, 4 if",
            "some keyspaces were left to Cassandra, or had data at the dead node alone, or a table has to be truncated again,",
            "or may have to, 1 if it failed, 3 if it was refused, and 5 on Ctrl-C. After 1 and 5 the node waits until its agent",
            "has had no order for its --coordinator-timeout, 15 minutes by default; then Cassandra streams what is not marked,",
            "unverified."
        })
final class ReplaceNodeCommand implements Callable<Integer> {
    @Option(
            names = "--dead",
            paramLabel = "HOST",
            required = true,
            description = "The dead node, as the ring calls it.")
    private String dead = "";

    @Option(
            names = "--with",
            paramLabel = "HOST",
            required = true,
            description = "The node that takes its place, at another address.")
    private String with = "";

    @Mixin
    private JoinOptions options = new JoinOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        return options.run(
                new JoinOptions.Wanted(Operation.REPLACE, Optional.of(dead), with),
                "node " + with + " has taken the place of " + dead);
    }
}
