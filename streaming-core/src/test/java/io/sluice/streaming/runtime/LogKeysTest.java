package io.sluice.streaming.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.streaming.log.LogKeys;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** Which keys the lines of a thread have, as work is handed over to it. */
class LogKeysTest {
    private static final UUID PLAN = new UUID(0, 1);
    private static final UUID PEER = new UUID(0, 2);
    private static final LogKeys NONE = new LogKeys(null, null, null);

    private final List<LogKeys> seen = new ArrayList<>();
    private final Queue<Runnable> thread = new ArrayDeque<>();

    @AfterEach
    void forget() {
        MDC.clear();
    }

    private void look() {
        seen.add(LogKeys.current());
    }

    private void runAll() {
        for (Runnable next = thread.poll(); next != null; next = thread.poll()) {
            next.run();
            assertThat(LogKeys.current()).as("left on the thread").isEqualTo(NONE);
        }
    }

    @Test
    void what_was_there_before_comes_back_also_after_a_failure() {
        MDC.put("plan", "of somebody else");
        MDC.put("request", "of somebody else");

        assertThatThrownBy(() -> LogKeys.of(PLAN, PEER).run(() -> {
                    look();
                    LogKeys.current().withTable("shop.users").run(this::look);
                    LogKeys.of(PLAN).run(this::look);
                    throw new IllegalStateException();
                }))
                .isInstanceOf(IllegalStateException.class);

        assertThat(seen)
                .containsExactly(
                        new LogKeys(PLAN.toString(), PEER.toString(), null),
                        new LogKeys(PLAN.toString(), PEER.toString(), "shop.users"),
                        new LogKeys(PLAN.toString(), null, null));
        assertThat(MDC.getCopyOfContextMap())
                .containsOnlyKeys("plan", "request")
                .containsEntry("plan", "of somebody else");
    }

    @Test
    void a_task_has_the_keys_of_whoever_handed_it_over() {
        TaskQueue queue = new TaskQueue(thread::add, () -> 7);

        LogKeys.of(PLAN, PEER).run(() -> queue.execute(this::look));
        queue.execute(this::look);
        assertThat(queue.waits().count()).isEqualTo(2);
        assertThat(queue.waits().oldestNanos(10)).isEqualTo(3);
        runAll();

        assertThat(seen).containsExactly(LogKeys.of(PLAN, PEER), NONE);
        assertThat(queue.waits().count()).isZero();
        assertThat(queue.waits().oldestNanos(10)).isZero();
    }

    @Test
    void a_task_that_is_rejected_does_not_wait() {
        TaskQueue queue = new TaskQueue(
                task -> {
                    throw new RejectedExecutionException();
                },
                () -> 7);

        assertThatThrownBy(() -> queue.execute(this::look)).isInstanceOf(RejectedExecutionException.class);

        assertThat(queue.waits().count()).isZero();
    }

    @Test
    void a_task_in_turn_has_its_own_keys_and_not_those_of_the_one_before() {
        SerialExecutors serial = new SerialExecutors();
        TaskQueue queue = new TaskQueue(thread::add, () -> 0);

        LogKeys.of(PLAN, PEER).run(() -> serial.execute(PLAN, queue, this::look));
        LogKeys.of(PLAN).run(() -> serial.execute(PLAN, queue, this::look));
        serial.execute(PLAN, queue, this::look);
        runAll();

        assertThat(seen).containsExactly(LogKeys.of(PLAN, PEER), LogKeys.of(PLAN), NONE);
    }
}
