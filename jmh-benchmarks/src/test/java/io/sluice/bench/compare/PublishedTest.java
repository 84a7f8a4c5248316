package io.sluice.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PublishedTest {
    private static Run run(double cpuSeconds) {
        return new Run(1, cpuSeconds, cpuSeconds, 0, 0, 1_000, 1_000, 1);
    }

    @Test
    void a_ratio_of_cpu_is_a_number_when_none_was_counted() {
        Map<Mode, List<Run>> runs = new EnumMap<>(Mode.class);
        for (Mode mode : Mode.values()) {
            runs.put(mode, List.of(run(0), run(0), run(0)));
        }
        runs.put(Mode.PARTIAL, List.of(run(0), run(0.05), run(0.05)));

        List<Published> published = Published.of(runs);

        assertThat(published).allSatisfy(claim -> {
            assertThat(claim.ours().min()).isFinite();
            assertThat(claim.ours().max()).isFinite();
        });
        assertThat(published.get(0).ours().median()).isEqualTo(5);
        assertThat(published.get(0).ours().min()).isEqualTo(1);
    }
}
