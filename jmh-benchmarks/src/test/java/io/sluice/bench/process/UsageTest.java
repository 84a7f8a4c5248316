package io.sluice.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;

class UsageTest {
    private static String text(double cpuSecondsPerUnit, double units) {
        return Usage.text(cpuSecondsPerUnit, units, value -> String.format(Locale.ROOT, "%.2f", value));
    }

    @Test
    void less_than_three_steps_of_the_clock_are_a_bound() {
        double units = 1.0 / 16; // 64 MiB, in GiB

        assertThat(text(0, units)).isEqualTo("< 0.48");
        assertThat(text(0.32, units)).isEqualTo("< 0.48");
        assertThat(text(0.48, units)).isEqualTo("0.48");
        assertThat(text(0.07, 2)).isEqualTo("0.07");
    }
}
