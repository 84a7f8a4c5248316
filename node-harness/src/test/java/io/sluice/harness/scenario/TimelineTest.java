package io.sluice.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.report.RunReport.Sample;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TimelineTest {
    private static Sample at(double seconds, long bytes) {
        return new Sample(seconds, Map.of("node1", bytes), Map.of());
    }

    @Test
    void keeps_the_latest_of_the_samples_before_the_beginning() {
        Timeline timeline = new Timeline();

        timeline.add(at(0, 1));
        timeline.add(at(0, 2));
        timeline.add(at(0.5, 3));

        assertThat(timeline.samples()).containsExactly(at(0, 2), at(0.5, 3));
    }

    @Test
    void stays_within_bounds_and_spans_the_whole_run() {
        Timeline timeline = new Timeline();

        for (int i = 0; i < 100_000; i++) {
            timeline.add(at(i, i));
        }

        assertThat(timeline.samples()).hasSizeBetween(Timeline.MAX_SAMPLES / 4, Timeline.MAX_SAMPLES);
        assertThat(timeline.samples().get(0)).isEqualTo(at(0, 0));
        assertThat(timeline.samples().get(timeline.samples().size() - 1).seconds())
                .isGreaterThan(99_000);
    }
}
