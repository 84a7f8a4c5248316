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
        description = {
            "Moves the same part of a table in every way that there is, side by side, with plots.",
            "With --with cassandra --replace: replaces a dead node by real Cassandra and by Sluice, with the same files, in"
                    + " turns (its options: ./sluice compare --replace --help)."
        })
final class CompareCommand implements Callable<Integer> {
    @Unmatched
    private List<String> options = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Benchmarks found = Benchmarks.get();
        return (options.contains("--replace") ? found.compareReplacements() : found.compare()).run(options);
    }
}
