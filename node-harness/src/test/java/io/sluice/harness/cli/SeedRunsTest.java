package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.simulation.Simulation;
import java.util.NoSuchElementException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
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
        Simulation.Result some = new Simulation(1, false).run();
        int count = SeedRuns.PROCESSORS * 10;
        long[] began = new long[count];
        try (SeedRuns runs = new SeedRuns(seed -> slow(some, began, (int) seed), 0, count)) {
            IntStream.range(0, count).forEach(i -> {
                runs.next();
                assertThat(began[i]).as("run %d has begun", i).isPositive();
            });
        }
    }

    private static Simulation.Result slow(Simulation.Result result, long[] began, int seed) {
        began[seed] = System.nanoTime();
        try {
            TimeUnit.MILLISECONDS.sleep(seed % 2 == 0 ? 20 : 0);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return result;
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
