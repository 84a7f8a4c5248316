package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.simulation.Simulation;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SeedRunsTest {
    @Test
    void hands_over_what_one_after_the_other_would() {
        try (SeedRuns runs = new SeedRuns(seed -> new Simulation(seed, true).run(), 100, 6)) {
            for (long seed = 100; seed < 106; seed++) {
                Simulation.Result alone = new Simulation(seed, true).run();
                Simulation.Result result = runs.next();
                assertThat(result.trace()).as("seed %d", seed).isEqualTo(alone.trace());
                assertThat(result.steps()).isEqualTo(alone.steps());
            }
            assertThatThrownBy(runs::next).isInstanceOf(NoSuchElementException.class);
        }
    }

    @Test
    void keeps_the_order_whichever_ends_first() {
        int count = SeedRuns.PROCESSORS * 10;
        try (SeedRuns runs = new SeedRuns(SeedRunsTest::slowIfEven, 0, count)) {
            for (long seed = 0; seed < count; seed++) {
                assertThat(runs.next().seed()).isEqualTo(seed);
            }
        }
    }

    /** A run that takes longer if its seed is even. */
    private static Simulation.Result slowIfEven(long seed) {
        try {
            TimeUnit.MILLISECONDS.sleep(seed % 2 == 0 ? 20 : 0);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new Simulation.Result(seed, Optional.empty(), List.of(), 0, 0, 0);
    }

    @Test
    void throws_what_a_run_throws() {
        try (SeedRuns runs = new SeedRuns(
                seed -> {
                    throw new IllegalStateException("seed " + seed);
                },
                7,
                2)) {
            assertThatThrownBy(runs::next)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("seed 7");
        }
    }
}
