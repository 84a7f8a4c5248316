package io.sluice.bench;

import io.sluice.bench.process.Program;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** {@code ./sluice bench planner}: {@link PlannerBenchmark} in JMH, which takes the options. Not thread-safe. */
@Command(
        name = "sluice bench planner",
        mixinStandardHelpOptions = true,
        description = "Plans the rebuild of data centres of 10 to 10,000 nodes, in a heap of 512 MiB, by one thread.",
        footer = {
            "",
            "Other options are those of JMH (-- -- -h lists them). -p shape=10x256 is a data centre of 10 nodes",
            "with 256 tokens each (default: 10x256, 100x256, 300x256, 1000x256 and 10000x16)."
        })
public final class PlannerBench implements Callable<Integer> {
    @Unmatched
    private List<String> jmh = new ArrayList<>();

    /** Runs it, and ends the process. */
    public static void main(String[] arguments) {
        Program.run(new PlannerBench(), arguments);
    }

    @Override
    public Integer call() throws IOException {
        Jmh.run(PlannerBenchmark.class, List.of("shape"), jmh);
        return 0;
    }
}
