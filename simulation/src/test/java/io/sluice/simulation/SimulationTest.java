package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulation.mutation.MutantClasses;
import io.sluice.simulation.mutation.SourceMutant;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ./sluice simulate --seed N --seeds 1 --trace} shows what happens in a run. */
class SimulationTest {
    /** One of these took another course in a process whose objects have other hashes. */
    private static final long FIRST = 31;

    private static final long LAST = 45;
    private static final Path HOME = Path.of("..").toAbsolutePath().normalize();

    private static void runs(long first, long seeds) {
        LongStream.range(first, first + seeds).parallel().forEach(seed -> {
            Simulation.Result result = new Simulation(seed, false).run();
            assertThat(result.violation()).as("seed %d", seed).isEmpty();
        });
    }

    @Test
    void a_hundred_bad_days_break_no_promise() {
        runs(1, 100);
    }

    @Tag("full")
    @Test
    void a_thousand_bad_days_break_no_promise() {
        runs(101, 1_000);
    }

    /** Seeds that once found something; docs/simulation.md says what. */
    @ParameterizedTest
    @ValueSource(
            longs = {
                1, 18, 22, 222, 1019, 1031, 1060, 1066, 1080, 1124, 1133, 19903, 22189, 32700, 40, 459, 71308, 202870,
                203628, 205233, 225995, 229404, 902201, 1200514, 5008919, 8000670, 9213883, 9301193, 9302968
            })
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
        for (long seed = 1; seed < 10; seed++) {
            Simulation.Result once = new Simulation(seed, false).run();
            Simulation.Result again = new Simulation(seed, true).run();

            assertThat(again.hash()).as("seed %d", seed).isEqualTo(once.hash());
            assertThat(again.steps()).isEqualTo(once.steps());
            assertThat(again.trace()).isNotEmpty();
        }
    }

    /** Nothing hangs on the order in which a process happens to number its objects. */
    @Test
    @Tag("full")
    void the_same_seed_is_the_same_run_in_another_process() throws Exception {
        List<String> lines = StartedProcess.run(JavaCommand.words( // its log, and then the hash
                List.of("-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2"),
                HashOfRuns.class.getName(),
                FIRST,
                LAST));

        assertThat(lines).last().isEqualTo(Long.toString(HashOfRuns.of(FIRST, LAST)));
    }

    /** A run without one kind of fault takes another course: so not every one can be made smaller, but most can. */
    @Test
    @Tag("full")
    void shrinks_failing_runs_to_the_faults_that_they_take() throws IOException {
        SourceMutant mutant = SourceMutant.all().stream()
                .filter(known -> known.name().equals("ANSWER_IS_NOT_NOTED"))
                .findFirst()
                .orElseThrow();
        MutantClasses classes = MutantClasses.of(mutant, HOME);
        long[] failing = LongStream.rangeClosed(1, 500)
                .filter(seed -> classes.simulation().apply(seed).isPresent())
                .limit(5)
                .toArray();
        int smaller = 0;

        for (long seed : failing) {
            List<String> trace = classes.shrunk().apply(seed);
            String drawn = new Simulation(seed, true).run().trace().get(0);
            assertThat(trace.get(trace.size() - 1)).contains("VIOLATION");
            smaller += trace.get(0).length() < drawn.length() ? 1 : 0;
        }

        assertThat(failing).hasSize(5);
        assertThat(smaller).isGreaterThanOrEqualTo(3);
    }
}
