package io.sluice.harness.cli;

import io.sluice.harness.report.ExitCode;
import io.sluice.simulation.Mutant;
import io.sluice.simulation.Simulation;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./sluice simulate}. Not thread-safe. */
@Command(
        name = "simulate",
        mixinStandardHelpOptions = true,
        description = {
            "Runs the sessions, plans and installs of Sluice on simulated nodes, through simulated bad days.",
            "Each seed draws a cluster, its data, and what goes wrong: connections cut or half-open, processes that "
                    + "die in the middle of an operation, power that goes, disks that fail, fill up and forget, bytes "
                    + "that change, compactions. After every event promises are checked: nothing partial or damaged "
                    + "is ever live, what was acknowledged is durable, nothing is left pinned, open or set aside, and "
                    + "once faults stop every plan ends."
        },
        footer = {
            "",
            "Examples:",
            "  ./sluice simulate --seeds 10000",
            "  ./sluice simulate --seed 42 --seeds 1 --trace     # what happens in one run",
            "  ./sluice simulate --mutant SKIP_DATA_SYNC         # whether a defect made on purpose is found",
            "  ./sluice simulate --mutants                       # all of them"
        })
final class SimulateCommand implements Callable<Integer> {
    private static final int MAX_TRACE_LINES = 60;

    @Option(names = "--seeds", paramLabel = "N", description = "How many runs (default: 300; with a mutant: 2,000).")
    private @Nullable Long seeds;

    @Option(names = "--seed", paramLabel = "FIRST", description = "The first seed (default: ${DEFAULT-VALUE}).")
    private long first = 1;

    @Option(names = "--trace", description = "Prints all that happens in each run.")
    private boolean trace;

    @Option(names = "--mutant", paramLabel = "NAME", description = "Plants a defect: one of ${COMPLETION-CANDIDATES}.")
    private @Nullable Mutant mutant;

    @Option(names = "--mutants", description = "Plants each defect in turn, and says which seed finds it.")
    private boolean mutants;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out =
                Objects.requireNonNull(spec, "set by picocli").commandLine().getOut();
        if (mutants) {
            boolean areAllFound = true;
            for (Mutant each : Mutant.values()) {
                areAllFound &= find(each, out);
            }
            return (areAllFound ? ExitCode.OK : ExitCode.FAILED).number();
        }
        if (mutant != null) {
            return (find(mutant, out) ? ExitCode.OK : ExitCode.FAILED).number();
        }
        return (runAll(out) ? ExitCode.OK : ExitCode.FAILED).number();
    }

    private boolean runAll(PrintWriter out) {
        long count = seeds == null ? 300 : seeds;
        long events = 0;
        double seconds = 0;
        long began = System.nanoTime();
        long failing = 0;
        boolean hasFailed = false;
        try (ProgressBar bar = bar(count)) {
            for (long seed = first; seed < first + count && !hasFailed; seed++) {
                Simulation.Result result = new Simulation(seed, Optional.empty(), trace).run();
                if (trace) {
                    result.trace().forEach(out::println);
                }
                hasFailed = result.violation().isPresent();
                failing = seed;
                events += result.steps();
                seconds += result.simulatedSeconds();
                bar.step();
            }
        }
        if (hasFailed) {
            explain(failing, Optional.empty(), out);
            return false;
        }
        double rate = count / Math.max(1e-9, (System.nanoTime() - began) / 1e9);
        out.printf(
                "%,d runs, seeds %d to %d: no promise broken. %,d events, %.1f simulated hours, %.0f runs/s.%n",
                count, first, first + count - 1, events, seconds / 3_600, rate);
        out.flush();
        return true;
    }

    private static ProgressBar bar(long count) {
        ProgressBarBuilder builder = new ProgressBarBuilder()
                .setTaskName("simulate")
                .setInitialMax(count)
                .showSpeed();
        if (!Boolean.getBoolean("sluice.terminal")) {
            builder.setConsumer(new DelegatingProgressBarConsumer(line -> {})); // the last line says it all
        }
        return builder.build();
    }

    private boolean find(Mutant planted, PrintWriter out) {
        long count = seeds == null ? 2_000 : seeds;
        for (long seed = first; seed < first + count; seed++) {
            Simulation.Result result = new Simulation(seed, Optional.of(planted), false).run();
            if (result.violation().isPresent()) {
                out.printf(
                        "%-28s found by seed %d: %s%n",
                        planted, seed, result.violation().get());
                if (!mutants) {
                    explain(seed, Optional.of(planted), out);
                }
                out.flush();
                return true;
            }
        }
        out.printf("%-28s NOT FOUND by %d seeds: %s%n", planted, count, planted.text());
        out.flush();
        return false;
    }

    private void explain(long seed, Optional<Mutant> planted, PrintWriter out) {
        Simulation.Result small = Simulation.shrink(seed, planted);
        List<String> lines = small.trace();
        out.printf("%nSeed %d, with only the faults that it takes:%n", seed);
        out.println(lines.get(0));
        int from = trace ? 1 : Math.max(1, lines.size() - MAX_TRACE_LINES);
        if (from > 1) {
            out.printf("... %d lines (--trace shows them)%n", from - 1);
        }
        lines.subList(from, lines.size()).forEach(out::println);
        out.flush();
    }
}
