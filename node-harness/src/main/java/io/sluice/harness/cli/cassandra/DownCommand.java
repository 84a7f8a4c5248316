package io.sluice.harness.cli.cassandra;

import io.sluice.harness.cassandra.LocalCluster;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./sluice cassandra down}. Not thread-safe. */
@Command(
        name = "down",
        addMethodSubcommands = false,
        description = "Stops the nodes; their data stay for the next up, unless --wipe is given.")
final class DownCommand implements Callable<Integer> {
    @Option(names = "--wipe", description = "Removes their data too.")
    private boolean wipe;

    @Mixin
    private Home home = new Home();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        LocalCluster cluster = home.cluster();
        int stopped = cluster.down();
        if (wipe) {
            cluster.wipe();
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println("Stopped " + stopped + " of " + cluster.nodes().size()
                + (wipe ? ", data removed" : ", data stay in " + home.folder()));
        out.flush();
        return 0;
    }
}
