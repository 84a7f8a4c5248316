package io.sluice.harness.cli;

import io.sluice.harness.config.ConfigException;
import io.sluice.simulation.mutation.MutantClasses;
import io.sluice.simulation.mutation.SourceMutant;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.LongFunction;

/** Plants defects in the production source one after the other, and says who finds them. Not thread-safe. */
final class Mutants {
    private final long first;
    private final long seeds;
    private final PrintWriter out;
    private boolean areAllFound = true;
    private int count;

    /** @param seeds how many to try, from the first on */
    Mutants(long first, long seeds, PrintWriter out) {
        this.first = first;
        this.seeds = seeds;
        this.out = out;
    }

    /**
     * Tries all of them, or one.
     *
     * @return whether each was found
     * @throws ConfigException if there is none of the name
     */
    boolean findAll(Optional<String> only) throws IOException {
        Path home = Path.of(System.getProperty("sluice.home", "."));
        for (SourceMutant mutant : SourceMutant.all()) {
            if (only.isEmpty() || only.get().equals(mutant.name())) {
                find(mutant, MutantClasses.of(mutant, home));
            }
        }
        if (count == 0) {
            throw new ConfigException("--mutant " + only.orElse("") + ": no such defect (expected: "
                    + SourceMutant.all().stream().map(SourceMutant::name).toList() + ")");
        }
        return areAllFound;
    }

    private void find(SourceMutant mutant, MutantClasses classes) {
        if (mutant.finder() instanceof SourceMutant.Finder.ByTest test) {
            String finder = test.testClass().substring(test.testClass().lastIndexOf('.') + 1) + "." + test.method();
            say(mutant.name(), mutant.breaks(), Optional.of("not tried here: for the test " + finder));
        } else {
            say(mutant.name(), mutant.breaks(), bySeed(classes.simulation()));
        }
    }

    private Optional<String> bySeed(LongFunction<Optional<String>> run) {
        for (long seed = first; seed < first + seeds; seed++) {
            Optional<String> violation = run.apply(seed);
            if (violation.isPresent()) {
                return Optional.of("seed " + seed + ": " + violation.get());
            }
        }
        return Optional.empty();
    }

    private void say(String name, String breaks, Optional<String> found) {
        count++;
        areAllFound &= found.isPresent();
        out.printf("%-36s %s%n", name, breaks);
        out.printf("%-36s %s%n", "", found.orElse("NOT FOUND by " + seeds + " seeds"));
        out.flush();
    }
}
