package io.sluice.harness.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProcessUsageTest {
    private static ProcessUsage usage(int cpuSeconds, int systemSeconds, long peak) {
        return new ProcessUsage(
                Optional.of(Duration.ofSeconds(cpuSeconds)),
                Optional.of(Duration.ofSeconds(systemSeconds)),
                Optional.of(peak));
    }

    @Test
    void two_spans_of_time_are_added_but_memory_is_not() {
        assertThat(usage(3, 1, 70).plus(usage(4, 2, 50))).isEqualTo(usage(7, 3, 70));
    }

    @Test
    void what_is_known_of_one_span_is_kept() {
        assertThat(usage(3, 1, 70).plus(ProcessUsage.UNKNOWN)).isEqualTo(usage(3, 1, 70));
        assertThat(ProcessUsage.UNKNOWN.plus(usage(3, 1, 70))).isEqualTo(usage(3, 1, 70));
        assertThat(ProcessUsage.UNKNOWN.isKnown()).isFalse();
    }

    @Test
    void a_process_of_this_machine_has_used_something() {
        ProcessUsage own = ProcessUsage.of(ProcessHandle.current());

        assertThat(own.cpu().orElseThrow()).isPositive();
        assertThat(own.since(own).cpu()).contains(Duration.ZERO);
    }
}
