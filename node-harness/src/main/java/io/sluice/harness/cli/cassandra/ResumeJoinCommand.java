package io.sluice.harness.cli.cassandra;

import io.sluice.harness.report.ExitCode;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./sluice cassandra resume}. Not thread-safe. */
@Command(
        name = "resume",
        addMethodSubcommands = false,
        sortOptions = false,
        description = "Goes on with what ./sluice cassandra pause has stopped.")
final class ResumeJoinCommand implements Callable<Integer> {
    @Mixin
    private NamedAgents agents = new NamedAgents();

    @Override
    public Integer call() throws IOException {
        System.out.println("resumed what is brought to " + agents.give(control -> control.pause(false)));
        return ExitCode.OK.number();
    }
}
