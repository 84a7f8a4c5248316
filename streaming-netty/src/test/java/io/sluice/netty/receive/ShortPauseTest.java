package io.sluice.netty.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ShortPauseTest {
    private static final long MILLI = 1_000_000;

    @Test
    void may_be_shorter_than_a_millisecond_and_is_not_shorter_than_asked_for() throws InterruptedException {
        long shortest = Long.MAX_VALUE;
        for (int i = 0; i < 300; i++) {
            long began = System.nanoTime();
            Pause.ofNanos(MILLI / 10, () -> false);
            shortest = Math.min(shortest, System.nanoTime() - began);
        }

        assertThat(shortest).isBetween(MILLI / 10, MILLI - 1);
    }

    @Test
    void ends_when_it_is_over() throws InterruptedException {
        AtomicInteger asked = new AtomicInteger();

        Pause.ofNanos(Long.MAX_VALUE / 2, () -> asked.incrementAndGet() == 3);

        assertThat(asked).hasValue(3);
    }

    @Test
    void of_nothing_asks_nobody() throws InterruptedException {
        Pause.ofNanos(0, () -> {
            throw new AssertionError("asked");
        });
    }

    @Test
    void is_interrupted() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> Pause.ofNanos(Long.MAX_VALUE / 2, () -> false))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }
}
