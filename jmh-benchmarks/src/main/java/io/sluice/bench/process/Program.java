package io.sluice.bench.process;

import java.util.concurrent.Callable;
import picocli.CommandLine;

/** How the programs that measure are begun and ended. Stateless. */
public final class Program {
    private static final int HELP_WIDTH = 120;

    private Program() {}

    /**
     * Runs {@code command} with the arguments that its annotations describe, and ends the process: with its answer,
     * with 2 if an argument makes no sense, with 1 and a sentence if it fails.
     */
    public static void run(Callable<Integer> command, String[] arguments) {
        System.exit(new CommandLine(command)
                .setUsageHelpWidth(HELP_WIDTH)
                .setExecutionExceptionHandler((failure, line, parsed) -> {
                    line.getErr().println("sluice: " + failure.getMessage());
                    return failure instanceof IllegalArgumentException ? 2 : 1;
                })
                .execute(arguments));
    }
}
