package io.sluice.harness.cli.cassandra;

import io.sluice.harness.cassandra.LocalCluster;
import io.sluice.harness.cassandra.LocalNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ./sluice cassandra status}. Not thread-safe. */
@Command(
        name = "status",
        addMethodSubcommands = false,
        description = "Says which nodes run; ends with 1 unless all do.")
final class CassandraStatusCommand implements Callable<Integer> {
    @Mixin
    private Home home = new Home();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        LocalCluster cluster = home.cluster();
        PrintWriter out = spec.commandLine().getOut();
        out.println(cluster);
        boolean isComplete = true;
        for (LocalNode node : cluster.nodes()) {
            Optional<ProcessHandle> process = node.process();
            isComplete &= process.isPresent();
            out.println("  node " + node.number() + "  "
                    + process.map(running -> "runs, process " + running.pid() + ", CQL " + node)
                            .orElse("is down")
                    + "  log " + node.log());
        }
        out.flush();
        return isComplete ? 0 : 1;
    }
}
