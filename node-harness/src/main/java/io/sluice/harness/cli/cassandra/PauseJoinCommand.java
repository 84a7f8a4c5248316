package io.sluice.harness.cli.cassandra;

import io.sluice.harness.report.ExitCode;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./sluice cassandra pause}. Not thread-safe. */
@Command(
        name = "pause",
        addMethodSubcommands = false,
        sortOptions = false,
        description = {
            "Fetches nothing more for the node that waits for its data, until ./sluice cassandra resume.",
            "Writes of its ranges still wait for one more acknowledgement meanwhile. What is on its way arrives; digests and",
            "imports that run are not stopped."
        })
final class PauseJoinCommand implements Callable<Integer> {
    @Mixin
    private NamedAgents agents = new NamedAgents();

    @Override
    public Integer call() throws IOException {
        System.out.println("paused what is brought to " + agents.give(control -> control.pause(true)));
        return ExitCode.OK.number();
    }
}
