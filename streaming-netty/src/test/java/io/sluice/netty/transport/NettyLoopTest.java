package io.sluice.netty.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import io.sluice.streaming.runtime.Timer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One event loop as the loop of a node. */
@Timeout(30)
class NettyLoopTest {
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final DefaultEventLoop events = new DefaultEventLoop();
    private final NettyLoop loop = new NettyLoop(events);

    @AfterEach
    void end_the_loop() {
        events.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** What counts on a pause between its runs, as a look at a rate does, has one also after a stall. */
    @Test
    void a_task_that_took_long_does_not_run_again_at_once() throws InterruptedException {
        BlockingQueue<Long> begins = new LinkedBlockingQueue<>();
        BlockingQueue<Long> ends = new LinkedBlockingQueue<>();
        AtomicBoolean isFirst = new AtomicBoolean(true);
        Timer timer = loop.every(PERIOD_NANOS, () -> {
            begins.add(loop.nanoTime());
            if (isFirst.getAndSet(false)) {
                sleep(10 * PERIOD_NANOS);
            }
            ends.add(loop.nanoTime());
        });

        begins.take();
        for (int run = 0; run < 4; run++) {
            assertThat(begins.take() - ends.take())
                    .as("pause before run %d", run + 2)
                    .isGreaterThan(PERIOD_NANOS / 2);
        }
        timer.cancel();
    }

    private static void sleep(long nanos) {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void a_task_that_fails_runs_again_in_its_turn() throws Exception {
        BlockingQueue<String> ran = new LinkedBlockingQueue<>();
        Timer timer = loop.every(PERIOD_NANOS, () -> {
            ran.add("ran");
            throw new AssertionError("injected");
        });

        assertThat(ran.take()).isEqualTo("ran");
        assertThat(ran.poll(20, TimeUnit.SECONDS)).isEqualTo("ran");
        timer.cancel();
    }

    @Test
    void a_timer_that_was_cancelled_does_not_run() throws Exception {
        BlockingQueue<String> ran = new LinkedBlockingQueue<>();
        loop.after(PERIOD_NANOS, () -> ran.add("cancelled")).cancel();
        loop.after(2 * PERIOD_NANOS, () -> ran.add("wanted"));

        assertThat(ran.take()).isEqualTo("wanted");
    }
}
