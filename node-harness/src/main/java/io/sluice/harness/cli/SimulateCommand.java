package io.sluice.harness.cli;

import io.sluice.harness.config.ConfigException;
import io.sluice.harness.report.ExitCode;
import io.sluice.simulation.Simulation;
import io.sluice.simulation.cassandra.DialectSeedRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./sluice simulate}. Not thread-safe. */
@Command(
        name = "simulate",
        addMethodSubcommands = false,
        description = {
            "Runs the sessions, plans and installs of Sluice on simulated nodes, through simulated bad days.",
            "Each seed draws a cluster, its data, and what goes wrong: connections cut or half-open, processes that "
                    + "die in the middle of an operation, power that goes, disks that fail, fill up and forget, bytes "
                    + "that change, compactions. What a message claims is checked when it leaves, what reads see after "
                    + "every event that may change it: nothing partial or damaged is ever live, what was acknowledged "
                    + "is durable, nothing is left pinned, open or reserved, and once faults stop every plan ends."
        },
        footer = {
            "",
            "Examples:",
            "  ./sluice simulate --seeds 10000",
            "  ./sluice simulate --seed 42 --seeds 1 --trace     # what happens in one run",
            "  ./sluice simulate --dialect cassandra             # sessions with Cassandra nodes",
            "  ./sluice simulate --mutant DATA_IS_NOT_SYNCED     # whether a defect made on purpose is found",
            "  ./sluice simulate --mutants                       # all of them"
        })
final class SimulateCommand implements Callable<Integer> {
    private static final int MAX_TRACE_LINES = 60;
    private static final long MUTANT_SEEDS = 2_000;

    @Option(names = "--seeds", paramLabel = "N", description = "How many runs (default: 300; with a mutant: 2,000).")
    private @Nullable Long seeds;

    @Option(names = "--seed", paramLabel = "FIRST", description = "The first seed (default: ${DEFAULT-VALUE}).")
    private long first = 1;

    /** Whose sessions run. */
    enum Dialect {
        SLUICE,
        CASSANDRA
    }

    @Option(
            names = "--dialect",
            paramLabel = "WHICH",
            description = "Whose messages are spoken: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}); cassandra: "
                    + "loads into, pulls from and follows Cassandra nodes.")
    private Dialect dialect = Dialect.SLUICE;

    @Option(names = "--trace", description = "Prints all that happens in each run.")
    private boolean trace;

    @Option(names = "--mutant", paramLabel = "NAME", description = "Plants a defect, one of those of --mutants.")
    private @Nullable String mutant;

    @Option(
            names = "--mutants",
            description =
                    "Plants each defect in turn, and says which promise it breaks and which seed, or test, finds it.")
    private boolean mutants;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter out =
                Objects.requireNonNull(spec, "set by picocli").commandLine().getOut();
        if (seeds != null && seeds < 1) {
            throw new ConfigException("--seeds " + seeds + " (expected: 1 or more)");
        }
        if (mutants || mutant != null) {
            Beside.forbid("--mutant", mutant != null, "--mutants", mutants);
            Beside.forbid("--trace", trace, mutants ? "--mutants" : "--mutant", true);
            Beside.forbid("--dialect", dialect != Dialect.SLUICE, mutants ? "--mutants" : "--mutant", true);
            return (new Mutants(first, seeds == null ? MUTANT_SEEDS : seeds, out).findAll(Optional.ofNullable(mutant))
                            ? ExitCode.OK
                            : ExitCode.FAILED)
                    .number();
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
        try (LongWork work = trace ? LongWork.beginPrinting() : LongWork.begin("");
                SeedRuns runs = new SeedRuns(runs(), first, count)) {
            work.phase("simulating", count, "runs");
            for (long seed = first; seed < first + count && !hasFailed; seed++) {
                Simulation.Result result = runs.next();
                if (trace) {
                    result.trace().forEach(out::println);
                }
                hasFailed = result.violation().isPresent();
                failing = seed;
                events += result.steps();
                seconds += result.simulatedSeconds();
                work.add(1);
            }
        }
        if (hasFailed) {
            explain(failing, out);
            return false;
        }
        double rate = count / Math.max(1e-9, (System.nanoTime() - began) / 1e9);
        out.printf(
                Locale.ROOT,
                "%,d runs, seeds %d to %d: no promise broken. %,d events, %.1f simulated hours, %.0f runs/s (%d at a time).%n",
                count,
                first,
                first + count - 1,
                events,
                seconds / 3_600,
                rate,
                SeedRuns.PROCESSORS);
        out.flush();
        return true;
    }

    private LongFunction<Simulation.Result> runs() {
        if (dialect == Dialect.SLUICE) {
            return seed -> new Simulation(seed, trace).run();
        }
        return new DialectSeedRun()::run;
    }

    private void explain(long seed, PrintWriter out) {
        boolean isShrunk = dialect == Dialect.SLUICE;
        Simulation.Result small = isShrunk ? Simulation.shrink(seed) : runs().apply(seed);
        List<String> lines = small.trace();
        out.printf(Locale.ROOT, "%nSeed %d%s:%n", seed, isShrunk ? ", with only the faults that it takes" : "");
        out.println(lines.get(0));
        int from = trace ? 1 : Math.max(1, lines.size() - MAX_TRACE_LINES);
        if (from > 1) {
            out.printf(Locale.ROOT, "... %d lines (--trace shows them)%n", from - 1);
        }
        lines.subList(from, lines.size()).forEach(out::println);
        out.flush();
    }
}
