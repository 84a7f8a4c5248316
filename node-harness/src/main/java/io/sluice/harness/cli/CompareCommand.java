package io.sluice.harness.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** {@code ./sluice compare}, in a process of its own; its options are those of the benchmark. Not thread-safe. */
@Command(
        name = "compare",
        description = "Moves the same part of a table in every way that there is, side by side, with plots.")
final class CompareCommand implements Callable<Integer> {
    @Unmatched
    private List<String> options = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        return Benchmarks.get().compare().process(options).inheritIO().start().waitFor();
    }
}
