package io.sluice.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * New inputs for targets, guided by the ways that they open in the code; {@code target/fuzz/report.md} counts them. A
 * third of the targets each day, a few seconds each: to start takes three times as long as that. All of them, if
 * {@code -Dfuzz.runs} says how many inputs; those of {@code -Dfuzz.targets} alone, if there are any.
 */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT) // each target is a process that has one thread
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FuzzTest {
    private static final Path WORK = Path.of("target", "fuzz");
    private static final long RUNS = Long.getLong("fuzz.runs", 0);
    /** In so many days all targets have had their turn. */
    private static final int DAYS = 3;

    private final List<FuzzRun.Result> results = Collections.synchronizedList(new ArrayList<>());

    static List<FuzzTarget> targets() {
        String wanted = System.getProperty("fuzz.targets", "");
        if (!wanted.isBlank()) {
            return Stream.of(wanted.split(",", -1)).map(FuzzTarget::valueOf).toList();
        }
        FuzzTarget[] all = FuzzTarget.values();
        int today = (int) (LocalDate.now(ZoneOffset.UTC).toEpochDay() % DAYS);
        return RUNS > 0
                ? List.of(all)
                : IntStream.range(0, all.length)
                        .filter(number -> number % DAYS == today)
                        .mapToObj(number -> all[number])
                        .toList();
    }

    @ParameterizedTest
    @MethodSource("targets")
    void no_input_breaks_the_contract(FuzzTarget target) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(WORK.resolve(target.name()));
        removeFindings(folder);

        FuzzRun.Result result = FuzzRun.of(target, folder).run(RUNS, Long.getLong("fuzz.seconds", 3));

        results.add(result);
        if (!result.findings().isEmpty()) {
            fail(result.findings() + " breaks the contract of " + target + ", see " + result.log() + " (copy it to "
                    + target.folder() + ", where CorpusTest replays it, then mend the parser)");
        }
        assertThat(result.inputs()).as("inputs, see %s", result.log()).isPositive();
    }

    private static void removeFindings(Path folder) throws IOException {
        for (Path finding : FuzzRun.findingsIn(folder)) {
            Files.delete(finding);
        }
    }

    @AfterAll
    void report() throws IOException {
        StringBuilder text = new StringBuilder(FuzzRun.Result.HEAD);
        results.stream()
                .sorted(Comparator.comparing(FuzzRun.Result::target))
                .forEach(result -> text.append(result.row()));
        Files.writeString(Files.createDirectories(WORK).resolve("report.md"), text, StandardCharsets.UTF_8);
    }
}
