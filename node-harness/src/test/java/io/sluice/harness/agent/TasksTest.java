package io.sluice.harness.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.harness.http.Answer;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An order that takes hours is started, and asked for. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TasksTest {
    private static final UUID ONE = new UUID(2, 1);
    private static final UUID OTHER = new UUID(2, 2);
    private static final UUID FIRST = new UUID(0, 1);

    private final Tasks tasks = new Tasks();
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final AtomicInteger started = new AtomicInteger();

    @AfterEach
    void close() {
        mayEnd.countDown();
        tasks.close();
    }

    private Answer work() throws InterruptedException {
        started.incrementAndGet();
        mayEnd.await();
        return Answer.ok("imported");
    }

    private Answer awaitAnswer(UUID id) throws IOException {
        Optional<Answer> answer = tasks.answer(id);
        while (answer.isEmpty()) {
            Thread.onSpinWait();
            answer = tasks.answer(id);
        }
        return answer.get();
    }

    @Test
    void a_task_has_no_answer_before_it_has_ended_and_keeps_it_then() throws Exception {
        tasks.start(ONE, FIRST, true, this::work);
        assertThat(tasks.answer(FIRST)).isEmpty();

        mayEnd.countDown();

        assertThat(awaitAnswer(FIRST)).isEqualTo(Answer.ok("imported"));
        assertThat(tasks.answer(FIRST)).as("its answer may have been lost").contains(Answer.ok("imported"));
    }

    @Test
    void a_repeated_request_starts_nothing() throws Exception {
        mayEnd.countDown();
        tasks.start(ONE, FIRST, true, this::work);
        awaitAnswer(FIRST);

        tasks.start(ONE, FIRST, true, this::work);

        assertThat(awaitAnswer(FIRST)).isEqualTo(Answer.ok("imported"));
        assertThat(started).hasValue(1);
    }

    @Test
    void an_agent_that_has_started_again_does_not_know_a_task() {
        assertThatThrownBy(() -> tasks.answer(FIRST))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unknown task " + FIRST + " (did this agent start again");
    }

    @Test
    void there_is_a_limit_of_those_that_run() {
        for (int i = 0; i < Tasks.MOST; i++) {
            tasks.start(ONE, new UUID(1, i), true, this::work);
        }

        assertThatThrownBy(() -> tasks.start(ONE, FIRST, true, this::work))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("64 tasks run at this agent");
    }

    @Test
    void the_oldest_that_has_ended_is_forgotten() throws Exception {
        mayEnd.countDown();
        for (int i = 0; i < Tasks.MOST; i++) {
            tasks.start(ONE, new UUID(1, i), true, this::work);
        }
        awaitAnswer(new UUID(1, 0));

        tasks.start(ONE, FIRST, true, this::work);

        assertThat(awaitAnswer(FIRST)).isEqualTo(Answer.ok("imported"));
        assertThat(started.get()).isLessThanOrEqualTo(Tasks.MOST + 1);
    }

    @Test
    void what_a_coordinator_that_is_gone_reads_keeps_no_other_one_waiting() throws Exception {
        for (int i = 0; i < 4; i++) {
            tasks.start(ONE, new UUID(1, i), true, this::work);
        }

        tasks.start(OTHER, FIRST, false, () -> Answer.ok("pinned"));

        assertThat(awaitAnswer(FIRST)).isEqualTo(Answer.ok("pinned"));
        assertThatThrownBy(() -> tasks.answer(new UUID(1, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "was ended: another coordinator has begun at this agent (expected: one at a time");
        assertThatThrownBy(() -> tasks.start(ONE, new UUID(1, 9), true, this::work))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another coordinator has begun at this agent after this one");
    }

    @Test
    void a_coordinator_that_another_one_has_followed_is_refused_even_its_first_task() throws Exception {
        tasks.begin(ONE);
        tasks.begin(OTHER);
        tasks.start(OTHER, FIRST, true, this::work);

        assertThatThrownBy(() -> tasks.start(ONE, new UUID(1, 1), true, this::work))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another coordinator has begun at this agent after this one");

        assertThat(tasks.answer(FIRST)).as("it runs on").isEmpty();
        mayEnd.countDown();
        assertThat(awaitAnswer(FIRST)).isEqualTo(Answer.ok("imported"));
    }

    @Test
    void a_coordinator_that_begins_ends_what_another_one_reads() {
        tasks.start(ONE, FIRST, true, this::work);

        tasks.begin(OTHER);

        assertThatThrownBy(() -> tasks.answer(FIRST)).hasMessageContaining("was ended: another coordinator has begun");
    }

    @Test
    void a_coordinator_that_begins_again_is_the_newest_again() throws Exception {
        mayEnd.countDown();
        tasks.begin(ONE);
        tasks.begin(OTHER);
        tasks.begin(ONE);

        tasks.start(ONE, FIRST, true, this::work);

        assertThat(awaitAnswer(FIRST)).isEqualTo(Answer.ok("imported"));
    }

    @Test
    void what_changes_something_is_not_interrupted() throws Exception {
        tasks.start(ONE, FIRST, false, this::work);

        tasks.start(OTHER, new UUID(1, 1), true, () -> Answer.ok("read"));
        awaitAnswer(new UUID(1, 1));
        mayEnd.countDown();

        assertThat(awaitAnswer(FIRST)).isEqualTo(Answer.ok("imported"));
    }
}
