package io.sluice.harness.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.agent.SlowReads.Counts;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NodeLoadTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long STREAMED_PER_SECOND = 100_000_000;

    private long nanos = 7;
    private long reads;
    private long micros;
    private long asked;
    private long streamed;
    private boolean isDown;
    private final NodeLoad load = new NodeLoad(this::counts, () -> nanos);

    private Counts counts() throws IOException {
        asked++;
        if (isDown) {
            throw new IOException("connection refused");
        }
        return new Counts(reads, micros, 0);
    }

    private void second(long microsOfReads, long streamedBytes) {
        nanos += SECOND;
        reads += 100;
        micros += 100 * microsOfReads;
        streamed += streamedBytes;
        load.look(streamed);
    }

    private void quiet(int seconds) {
        for (int i = 0; i < seconds; i++) {
            second(500, 0);
        }
    }

    @AfterEach
    void close() {
        load.close();
    }

    @Test
    void an_idle_agent_asks_each_tenth_second() {
        quiet(100);

        assertThat(asked).isEqualTo(10);
        assertThat(load.isOverloaded()).isFalse();
    }

    @Test
    void it_is_overloaded_while_reads_are_slow_beside_a_stream() {
        quiet(60);

        second(5_000, STREAMED_PER_SECOND);
        assertThat(load.isOverloaded()).isTrue();
        second(5_000, STREAMED_PER_SECOND);
        assertThat(load.isOverloaded()).isTrue();
        second(500, STREAMED_PER_SECOND);
        assertThat(load.isOverloaded()).isFalse();
    }

    @Test
    void a_node_that_does_not_answer_slows_nothing_down() {
        quiet(60);
        second(5_000, STREAMED_PER_SECOND);
        isDown = true;

        second(5_000, STREAMED_PER_SECOND);

        assertThat(load.isOverloaded()).isFalse();
    }

    @Test
    void an_answer_counts_no_more_when_the_next_one_takes_long() {
        quiet(60);
        second(5_000, STREAMED_PER_SECOND);

        nanos += 6 * SECOND;

        assertThat(load.isOverloaded()).isFalse();
    }
}
