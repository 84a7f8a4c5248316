package io.sluice.streaming.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.Deadlines;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.progress.StreamActivity.Waiting;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How long one end waits for what the other one only says. */
class SessionTimeoutsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Deadlines DEADLINES = Deadlines.of(Duration.ofSeconds(5));

    private static Message.KeepAlive sign(long progress) {
        return new Message.KeepAlive(new Message.Doing("work", 0, 0, 0, 0), progress);
    }

    /** The heartbeat of one end or the other. */
    private interface Heartbeat {
        void received(Message.KeepAlive heartbeat, long nowNanos);
    }

    /** The second in which a peer that speaks each second, of ever more progress, is not waited for any more. */
    private static long overdueAfter(SessionTimeouts watch, Heartbeat heartbeat, int direction) {
        for (long now = 1; now < 10_000; now++) {
            watch.received(now * SECOND);
            heartbeat.received(sign(direction * now), now * SECOND);
            if (watch.overdue(now * SECOND).isPresent()) {
                return now;
            }
        }
        return Long.MAX_VALUE;
    }

    @Test
    void the_other_ends_word_alone_prolongs_a_deadline_ten_times_and_no_more() {
        SessionTimeouts watch = new SessionTimeouts(DEADLINES, "peer", Waiting.BYTES, 0);

        long overdue = overdueAfter(watch, watch::receivedFromReceiver, 1);

        assertThat(overdue).isBetween(10 * 120L, 12 * 120L);
    }

    @Test
    void a_source_is_not_waited_for_longer_because_its_progress_is_below_zero() {
        SessionTimeouts watch = new SessionTimeouts(DEADLINES, "peer", Waiting.BYTES, 0);

        long overdue = overdueAfter(watch, watch::receivedFromSource, -1);

        assertThat(overdue).isBetween(10 * 120L, 12 * 120L);
    }

    @Test
    void what_this_end_sees_done_lets_the_other_ends_word_count_again() {
        SessionTimeouts watch = new SessionTimeouts(DEADLINES, "peer", Waiting.BYTES, 0);
        for (long now = 1; now < 10_000; now++) {
            watch.received(now * SECOND);
            watch.receivedFromSource(sign(now), now * SECOND);
            if (now % 1_000 == 0) {
                watch.progress(now * SECOND);
            }

            assertThat(watch.overdue(now * SECOND)).as("second %d", now).isEmpty();
        }
    }

    @Test
    void a_receiver_that_somebody_has_paused_or_that_waits_for_others_is_waited_for() {
        SessionTimeouts watch = new SessionTimeouts(DEADLINES, "peer", Waiting.FETCHES, 0);

        assertThat(overdueAfter(watch, watch::receivedFromReceiver, -1)).isEqualTo(Long.MAX_VALUE);
    }
}
