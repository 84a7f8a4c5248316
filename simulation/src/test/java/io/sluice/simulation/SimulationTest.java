package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ./sluice simulate --seed N --seeds 1 --trace} shows what happens in a run. */
class SimulationTest {
    private static final int MAX_SEEDS_FOR_A_MUTANT = 2_000;

    private static void runs(long first, long seeds) {
        LongStream.range(first, first + seeds).parallel().forEach(seed -> {
            Simulation.Result result = new Simulation(seed, Optional.empty(), false).run();
            assertThat(result.violation()).as("seed %d", seed).isEmpty();
        });
    }

    @Test
    void three_hundred_bad_days_break_no_promise() {
        runs(1, 300);
    }

    /** Seeds that once found something; docs/simulation.md says what. */
    @ParameterizedTest
    @ValueSource(longs = {125, 197, 312, 375, 404, 461, 494, 523, 573, 582, 587, 602, 3594, 3744, 6005, 77, 41578, 270})
    void what_was_found_once_stays_mended(long seed) {
        runs(seed, 1);
    }

    @Tag("soak")
    @Test
    void ten_thousand_bad_days_break_no_promise() {
        runs(1_000, 10_000);
    }

    @Test
    void the_same_seed_is_the_same_run() {
        for (long seed = 1; seed < 20; seed++) {
            Simulation.Result once = new Simulation(seed, Optional.empty(), false).run();
            Simulation.Result again = new Simulation(seed, Optional.empty(), true).run();

            assertThat(again.hash()).as("seed %d", seed).isEqualTo(once.hash());
            assertThat(again.steps()).isEqualTo(once.steps());
            assertThat(again.trace()).isNotEmpty();
        }
    }

    private static OptionalLong findingSeed(Mutant mutant) {
        return LongStream.rangeClosed(1, MAX_SEEDS_FOR_A_MUTANT)
                .filter(seed -> new Simulation(seed, Optional.of(mutant), false)
                        .run()
                        .violation()
                        .isPresent())
                .findFirst();
    }

    @ParameterizedTest
    @EnumSource(names = {"SKIP_DATA_SYNC", "TRUST_JOURNAL", "IGNORE_UNSTAGE", "UNPIN_AT_LANDED", "NO_RETRY"})
    void finds_some_planted_defects(Mutant mutant) {
        assertThat(findingSeed(mutant)).as(mutant.text()).isPresent();
    }

    @Tag("soak")
    @ParameterizedTest
    @EnumSource
    void finds_every_planted_defect(Mutant mutant) {
        assertThat(findingSeed(mutant)).as(mutant.text()).isPresent();
    }

    /** A run without one kind of trouble takes another course: so not every one can be made smaller, but most can. */
    @Test
    void shrinks_failing_runs_to_the_faults_that_they_take() {
        Optional<Mutant> mutant = Optional.of(Mutant.IGNORE_SYNC_ERROR);
        long[] failing = LongStream.rangeClosed(1, 500)
                .filter(seed ->
                        new Simulation(seed, mutant, false).run().violation().isPresent())
                .limit(5)
                .toArray();
        int smaller = 0;

        for (long seed : failing) {
            Simulation.Result small = Simulation.shrink(seed, mutant);
            String drawn = new Simulation(seed, mutant, true).run().trace().get(0);
            assertThat(small.violation()).isPresent();
            assertThat(small.trace().get(0)).contains("DISK_ERROR");
            assertThat(small.trace().get(small.trace().size() - 1)).contains("VIOLATION");
            smaller += small.trace().get(0).length() < drawn.length() ? 1 : 0;
        }

        assertThat(failing).hasSize(5);
        assertThat(smaller).isGreaterThanOrEqualTo(3);
    }
}
