package io.sluice.harness.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.agent.SlowReads.Counts;
import org.junit.jupiter.api.Test;

class SlowReadsTest {
    private static final double STREAMS = 100e6;
    private static final double LEAST = 1 << 20;

    private final SlowReads slowReads = new SlowReads();
    private Counts counts = new Counts(1_000, 2_000_000, 3);

    private boolean after(long reads, long microsEach, long dropped, double streamedPerSecond) {
        counts = new Counts(
                counts.reads() + reads, counts.readMicros() + reads * microsEach, counts.dropped() + dropped);
        return slowReads.next(counts, streamedPerSecond);
    }

    private void usually(long microsEach) {
        for (int i = 0; i < 5; i++) {
            assertThat(after(100, microsEach, 0, 0)).isFalse();
        }
    }

    @Test
    void reads_that_take_more_than_twice_as_long_while_data_streams_are_slow() {
        usually(500);

        assertThat(after(100, 990, 0, STREAMS)).isFalse();
        assertThat(after(100, 1_010, 0, STREAMS)).isTrue();
        assertThat(after(100, 500, 0, STREAMS)).isFalse();
    }

    @Test
    void a_request_that_is_dropped_counts_without_reads() {
        usually(500);

        assertThat(after(0, 0, 1, STREAMS)).isTrue();
        assertThat(after(0, 0, 0, STREAMS)).isFalse();
    }

    @Test
    void few_reads_say_nothing() {
        usually(500);

        assertThat(after(9, 50_000, 0, STREAMS)).isFalse();
    }

    @Test
    void what_is_usual_has_to_be_known_first() {
        after(100, 500, 0, 0);
        after(100, 500, 0, 0);

        assertThat(after(100, 50_000, 0, STREAMS)).isFalse();
    }

    @Test
    void what_is_slow_without_a_stream_is_not_the_stream_and_becomes_the_usual() {
        usually(500);
        assertThat(after(100, 5_000, 0, 0)).isFalse();
        assertThat(after(100, 5_000, 0, STREAMS)).isTrue();

        for (int i = 0; i < 16; i++) {
            after(100, 5_000, 0, LEAST);
        }

        assertThat(after(100, 5_000, 0, STREAMS)).isFalse();
    }

    @Test
    void a_node_that_was_started_again_counts_from_zero() {
        usually(500);
        counts = new Counts(0, 0, 0);

        assertThat(slowReads.next(counts, STREAMS)).isFalse();
        assertThat(after(100, 5_000, 0, STREAMS)).isTrue();
    }
}
