package io.sluice.streaming.engine.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.session.PlanCoordinator.Event.SessionEnded;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The plan is notified once, and files are closed once, whatever comes first. */
class SessionEndTest {
    private static final SessionEnded ENDED = new SessionEnded(0, Optional.empty(), true);

    private final SessionEnd end = new SessionEnd();

    @Test
    void an_idle_session_is_closed_at_once_and_notifies_when_its_files_are() {
        assertThat(end.over(ENDED)).isTrue();
        assertThat(end.isClosed()).isFalse();
        assertThat(end.closed()).contains(ENDED);
        assertThat(end.isClosed()).isTrue();
    }

    @Test
    void the_last_task_closes_the_files() {
        end.taskBegins();
        end.taskBegins();

        assertThat(end.over(ENDED)).isFalse();
        assertThat(end.taskEnds()).isFalse();
        assertThat(end.taskEnds()).isTrue();
        assertThat(end.closed()).contains(ENDED);
    }

    @Test
    void tasks_of_a_session_that_runs_close_nothing() {
        end.taskBegins();

        assertThat(end.taskEnds()).isFalse();
        assertThat(end.over(ENDED)).isTrue();
    }

    @Test
    void a_disk_that_does_not_answer_is_not_waited_for_and_cleans_up_later_without_a_second_notice() {
        end.taskBegins();
        end.over(ENDED);

        assertThat(end.overdue()).contains(ENDED);
        assertThat(end.overdue()).isEmpty();
        assertThat(end.taskEnds()).isTrue();
        assertThat(end.closed()).isEmpty();
        assertThat(end.isClosed()).isTrue();
    }

    @Test
    void a_disk_that_does_not_answer_while_files_are_closed_is_not_waited_for_either() {
        end.over(ENDED);

        assertThat(end.overdue()).contains(ENDED);
        assertThat(end.closed()).isEmpty();
    }

    @Test
    void what_comes_after_the_end_changes_nothing() {
        end.over(ENDED);
        end.closed();
        end.taskBegins();

        assertThat(end.over(new SessionEnded(1, Optional.empty(), false))).isFalse();
        assertThat(end.taskEnds()).isFalse();
        assertThat(end.overdue()).isEmpty();
        assertThat(end.closed()).isEmpty();
    }
}
