package io.sluice.simulation.mutation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ./sluice simulate --mutants} prints who finds which. */
class SourceMutantTest {
    private static final Path HOME = Path.of("..");
    private static final int SEEDS = 2_000;
    private static final int FEW_SEEDS = 200;

    @TempDir
    Path temporary;

    private static SourceMutant mutant(String name) throws IOException {
        return SourceMutant.all().stream()
                .filter(mutant -> mutant.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    static Stream<String> names() throws IOException {
        return SourceMutant.all().stream().map(SourceMutant::name);
    }

    @Test
    void every_mutant_fits_the_source_as_it_is_now() throws IOException {
        List<SourceMutant> mutants = SourceMutant.all();

        for (SourceMutant mutant : mutants) {
            assertThat(mutant.mutated(HOME)).as(mutant.name()).contains(mutant.after());
        }

        assertThat(mutants.stream().map(SourceMutant::name)).doesNotHaveDuplicates();
        assertThat(mutants).hasSizeGreaterThanOrEqualTo(50);
    }

    @Test
    void a_mutant_whose_text_is_gone_says_so() {
        SourceMutant stale = new SourceMutant(
                "STALE",
                "simulation/pom.xml",
                "Nothing.",
                new SourceMutant.Finder.BySimulation(),
                "no such text",
                "another");

        assertThatThrownBy(() -> stale.mutated(HOME))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("STALE: the text to replace occurs 0 times in simulation/pom.xml");
    }

    private Optional<String> find(SourceMutant mutant, int seeds) throws IOException {
        MutantClasses classes = MutantClasses.of(mutant, HOME);
        if (mutant.finder() instanceof SourceMutant.Finder.ByTest test) {
            assertThat(OneTest.failure(MutantClasses.unchanged(mutant, HOME), test, temporary))
                    .as("%s, without the defect", test)
                    .isEmpty();
            return OneTest.failure(classes, test, temporary);
        }
        LongFunction<Optional<String>> simulation = classes.simulation();
        return LongStream.rangeClosed(1, seeds)
                .mapToObj(simulation)
                .flatMap(Optional::stream)
                .findFirst();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ACKNOWLEDGE_WHEN_WHOLE", "ANSWER_IS_NOT_NOTED", "RANGE_EXCLUDES_ITS_END"})
    void some_are_found_in_each_build(String name) throws IOException {
        assertThat(find(mutant(name), FEW_SEEDS)).as(name).isPresent();
    }

    /** The tests of the other modules must be compiled. */
    @Tag("soak")
    @ParameterizedTest
    @MethodSource("names")
    void each_is_found(String name) throws IOException {
        assertThat(find(mutant(name), SEEDS)).as(name).isPresent();
    }
}
