package io.sluice.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.progress.SessionProgress.State;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SessionHistoryTest {
    private static final Node PEER = new Node(new UUID(0, 1), "node1", new Address("127.0.0.1", 1), List.of());

    private final SessionHistory history = new SessionHistory();

    private static SessionProgress sample(State state, int files, long total, long received, long resumed) {
        return new SessionProgress(
                PEER,
                state,
                0,
                Instant.EPOCH,
                Optional.empty(),
                files,
                files,
                files / 2,
                total,
                received,
                resumed,
                List.of(),
                Optional.empty(),
                Optional.empty());
    }

    private long travelled(SessionProgress sample) {
        SessionProgress shown = history.add("node4", 0, sample);
        return shown.bytesReceived() - shown.bytesResumed();
    }

    @Test
    void a_session_of_one_attempt_is_told_as_it_is() {
        SessionProgress sample = sample(State.STREAMING, 6, 100, 40, 10);

        assertThat(history.add("node4", 0, sample)).isEqualTo(sample);
    }

    @Test
    void what_a_source_sent_before_it_died_has_travelled_all_the_same() {
        history.add("node4", 0, sample(State.STREAMING, 6, 100, 40, 0));

        SessionProgress dead = history.add("node4", 0, sample(State.FAILED, 0, 0, 0, 0));

        assertThat(dead).isEqualTo(sample(State.FAILED, 6, 100, 40, 0));
    }

    @Test
    void an_attempt_that_goes_on_where_the_last_one_broke_off_adds_to_it() {
        assertThat(travelled(sample(State.STREAMING, 6, 100, 50, 10))).isEqualTo(40);
        assertThat(travelled(sample(State.PAUSING, 0, 0, 0, 0))).isEqualTo(40);
        assertThat(travelled(sample(State.STREAMING, 6, 100, 50, 50))).isEqualTo(40);
        assertThat(travelled(sample(State.STREAMING, 6, 100, 75, 50))).isEqualTo(65);
        assertThat(travelled(sample(State.PAUSING, 0, 0, 0, 0))).isEqualTo(65);
        assertThat(travelled(sample(State.COMPLETE, 6, 100, 100, 70))).isEqualTo(95);
    }

    @Test
    void sessions_are_told_apart() {
        history.add("node4", 0, sample(State.STREAMING, 6, 100, 40, 0));

        SessionProgress other = sample(State.STREAMING, 6, 100, 20, 0);

        assertThat(history.add("node4", 1, other)).isEqualTo(other);
        assertThat(history.add("node5", 0, other)).isEqualTo(other);
    }
}
