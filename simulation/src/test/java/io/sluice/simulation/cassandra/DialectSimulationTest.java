package io.sluice.simulation.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulation.Simulation;
import io.sluice.simulation.mutation.MutantClasses;
import io.sluice.simulation.mutation.SourceMutant;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ./sluice simulate --dialect cassandra --seed N --seeds 1 --trace} shows what happens in a run. */
class DialectSimulationTest {
    private static final Path HOME = Path.of("..");
    private static final DialectSeedRun RUNS = new DialectSeedRun();

    private static void runs(long first, long seeds) {
        LongStream.range(first, first + seeds)
                .parallel()
                .forEach(
                        seed -> assertThat(RUNS.apply(seed)).as("seed %d", seed).isEmpty());
    }

    @Test
    void a_hundred_runs_break_no_promise() {
        runs(1, 100);
    }

    @Tag("full")
    @Test
    void five_hundred_runs_break_no_promise() {
        runs(101, 500);
    }

    /** Seeds that once found something; docs/simulation.md says what. */
    @ParameterizedTest
    @ValueSource(longs = {13, 896, 1011, 1613, 6_382, 10_839, 9_404_053})
    void what_was_found_once_stays_mended(long seed) {
        runs(seed, 1);
    }

    @Tag("soak")
    @Test
    void ten_thousand_runs_break_no_promise() {
        runs(1_000, 10_000);
    }

    @Test
    void the_same_seed_is_the_same_run() {
        for (long seed = 1; seed < 10; seed++) {
            Simulation.Result once = RUNS.run(seed);
            Simulation.Result again = RUNS.run(seed);

            assertThat(again.trace())
                    .as("seed %d", seed)
                    .isEqualTo(once.trace())
                    .isNotEmpty();
            assertThat(again.hash()).as("seed %d", seed).isEqualTo(once.hash());
        }
    }

    @Test
    void a_defect_of_the_dialect_is_found() throws IOException {
        SourceMutant mutant = SourceMutant.all().stream()
                .filter(known -> known.name().equals("CONFIRM_UNREAD_FILES"))
                .findFirst()
                .orElseThrow();
        LongFunction<Optional<String>> runs = MutantClasses.of(mutant, HOME).simulation();

        assertThat(LongStream.rangeClosed(1, 50)
                        .mapToObj(runs)
                        .flatMap(Optional::stream)
                        .findFirst())
                .isPresent();
    }
}
