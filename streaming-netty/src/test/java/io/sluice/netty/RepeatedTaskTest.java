package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RepeatedTaskTest {
    private final Queue<Runnable> queued = new ArrayDeque<>();
    private final AtomicInteger runs = new AtomicInteger();

    @Test
    void a_period_whose_predecessor_has_not_ended_is_left_out() {
        RepeatedTask task = new RepeatedTask(queued::add, runs::incrementAndGet);

        task.submit();
        task.submit();

        assertThat(queued).hasSize(1);
        queued.remove().run();
        task.submit();
        queued.remove().run();
        assertThat(runs).hasValue(2);
    }

    @Test
    void one_that_calls_itself_again_while_it_runs_is_left_out() {
        RepeatedTask[] self = new RepeatedTask[1];
        self[0] = new RepeatedTask(queued::add, () -> self[0].submit());

        self[0].submit();
        queued.remove().run();

        assertThat(queued).isEmpty();
    }

    @Test
    void one_that_fails_or_is_rejected_runs_in_the_next_period() {
        AtomicBoolean isRejecting = new AtomicBoolean(true);
        RepeatedTask task = new RepeatedTask(
                work -> {
                    if (isRejecting.get()) {
                        throw new RejectedExecutionException("injected");
                    }
                    queued.add(work);
                },
                () -> {
                    throw new IllegalStateException("injected");
                });
        assertThatThrownBy(task::submit).isInstanceOf(RejectedExecutionException.class);
        isRejecting.set(false);

        task.submit();
        assertThatThrownBy(() -> queued.remove().run()).isInstanceOf(IllegalStateException.class);
        task.submit();

        assertThat(queued).hasSize(1);
    }
}
