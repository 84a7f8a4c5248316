package io.sluice.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.bench.process.Dispersion;
import io.sluice.harness.json.Json;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PublishedTest {
    private static Run run(double senderCpu, double receiverCpu) {
        return new Run(1, senderCpu, receiverCpu, 0, 0, 1_000, 1_000, 1);
    }

    private static Map<Mode, List<Run>> runs(Run each) {
        Map<Mode, List<Run>> runs = new EnumMap<>(Mode.class);
        for (Mode mode : Mode.values()) {
            runs.put(mode, List.of(each, each, each));
        }
        return runs;
    }

    @Test
    void a_ratio_of_cpu_is_a_number_when_a_round_counted_none() {
        Map<Mode, List<Run>> runs = runs(run(0.05, 0.05));
        runs.put(Mode.FILES_SINGLE, List.of(run(0, 0), run(0.05, 0.05), run(0.05, 0.05)));

        Dispersion writer = Published.of(runs).get(0).ours().orElseThrow();

        assertThat(writer.median()).isEqualTo(1);
        assertThat(writer.max()).isEqualTo(5);
    }

    /** A sender that needs 15 ms is counted as 10 or 20. */
    @Test
    void cpu_that_the_clock_hardly_counts_makes_no_ratio() {
        Map<Mode, List<Run>> runs = runs(run(0.5, 0.5));
        Run hardly = run(0.01, 0.5);
        runs.put(Mode.PARTIAL, List.of(hardly, hardly, hardly));
        runs.put(Mode.TABLET, List.of(hardly, hardly, hardly));

        List<Published> published = Published.of(runs);

        assertThat(published)
                .filteredOn(claim -> claim.ours().isEmpty())
                .extracting(Published::claim)
                .satisfiesExactly(
                        writer -> assertThat(writer).endsWith("block to partial, writer"),
                        both -> assertThat(both).endsWith("CPU work of both ends"));
        JsonNode json = Json.MAPPER.valueToTree(published);
        assertThat(json.at("/0/our_ratio").isNull()).isTrue();
        assertThat(json.at("/1/our_ratio/median").asDouble()).isEqualTo(1);
    }
}
