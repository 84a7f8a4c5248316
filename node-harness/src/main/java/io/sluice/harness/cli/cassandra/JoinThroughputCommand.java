package io.sluice.harness.cli.cassandra;

import io.sluice.harness.config.ByteAmounts;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.ExitCode;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ./sluice cassandra set-throughput RATE}. Not thread-safe. */
@Command(
        name = "set-throughput",
        addMethodSubcommands = false,
        sortOptions = false,
        description = {
            "Limits what the node receives that waits for its data, also while bytes flow.",
            "The limit lasts until the node goes on, or its agent ends. See also replace-node --throttle."
        })
final class JoinThroughputCommand implements Callable<Integer> {
    @Parameters(paramLabel = "RATE", description = "As 24MiB/s; 0 for no limit.")
    private String rate = "";

    @Mixin
    private NamedAgents agents = new NamedAgents();

    @Override
    public Integer call() throws IOException {
        long bytesPerSecond = ByteAmounts.rate("RATE", rate);
        System.out.println(agents.give(control -> control.throughput(bytesPerSecond)) + ": "
                + (bytesPerSecond == 0 ? "no limit" : "at most " + ByteFormat.rate((double) bytesPerSecond)));
        return ExitCode.OK.number();
    }
}
