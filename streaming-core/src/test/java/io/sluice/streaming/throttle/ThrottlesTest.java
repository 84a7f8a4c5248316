package io.sluice.streaming.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.streaming.Limit;
import io.sluice.streaming.plan.Operation.Priority;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThrottlesTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long RATE = 20_000_000;

    /** Bytes that pass a chain from {@code from} to {@code to}, by somebody who sleeps a millisecond too long. */
    private static long passed(CombinedThrottle chain, long from, long to) {
        return passed(List.of(chain), from, to).get(0);
    }

    /** The same for several who pass at the same time. */
    private static List<Long> passed(List<CombinedThrottle> chains, long from, long to) {
        List<Long> bytes = new ArrayList<>();
        long[] due = new long[chains.size()];
        long[] passed = new long[chains.size()];
        List<CombinedThrottle.Turn> turns =
                chains.stream().map(CombinedThrottle::turn).toList();
        java.util.Arrays.fill(due, from);
        while (true) {
            int next = 0;
            for (int i = 1; i < due.length; i++) {
                next = due[i] < due[next] ? i : next;
            }
            if (due[next] >= to) {
                break;
            }
            CombinedThrottle chain = chains.get(next);
            int piece = Math.min(chain.pieceBytes(), 1 << 20);
            passed[next] += piece;
            long pause = turns.get(next).take(piece, due[next]);
            due[next] += pause == 0 ? 10_000 : pause + SECOND / 1_000;
        }
        for (long each : passed) {
            bytes.add(each);
        }
        return bytes;
    }

    private static Priority equal() {
        return Priority.REPLACE;
    }

    @ParameterizedTest
    @CsvSource({"100000", "1048576", "25165824", "1000000000"})
    void a_rate_holds_over_five_seconds(long rate) {
        Throttles throttles = new Throttles(Map.of(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, rate), 0);

        long bytes = passed(throttles.outbound(false, ThrottlesTest::equal, 0).files(), 0, 5 * SECOND);

        assertThat((double) bytes / (5 * rate)).isCloseTo(1, within(0.03));
    }

    @Test
    void the_tightest_of_all_limits_counts() {
        Throttles throttles = new Throttles(
                Map.of(
                        Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, 3 * RATE,
                        Limit.ENTIRE_SSTABLE_INTER_DC_STREAM_THROUGHPUT_OUTBOUND, RATE,
                        Limit.SESSION_STREAM_THROUGHPUT_OUTBOUND, 2 * RATE),
                0);

        assertThat((double)
                        passed(throttles.outbound(true, ThrottlesTest::equal, 0).files(), 0, 5 * SECOND))
                .isCloseTo(5.0 * RATE, within(0.15 * RATE));
        assertThat((double) passed(
                        throttles
                                .outbound(false, ThrottlesTest::equal, 5 * SECOND)
                                .files(),
                        5 * SECOND,
                        10 * SECOND))
                .isCloseTo(10.0 * RATE, within(0.3 * RATE));
    }

    @Test
    void files_and_rows_have_limits_of_their_own_and_both_directions_too() {
        Throttles throttles = new Throttles(Map.of(Limit.STREAM_THROUGHPUT_OUTBOUND, RATE), 0);
        Throttles.Outbound outbound = throttles.outbound(false, ThrottlesTest::equal, 0);

        assertThat(outbound.files().pieceBytes()).isEqualTo(Integer.MAX_VALUE);
        assertThat(throttles.inbound(true, ThrottlesTest::equal, 0).pieceBytes())
                .isEqualTo(Integer.MAX_VALUE);
        assertThat((double) passed(outbound.rows(), 0, 5 * SECOND)).isCloseTo(5.0 * RATE, within(0.15 * RATE));
    }

    @Test
    void what_arrives_is_limited_as_a_whole_and_from_afar() {
        Throttles throttles = new Throttles(
                Map.of(
                        Limit.STREAM_THROUGHPUT_INBOUND, 4 * RATE,
                        Limit.INTER_DC_STREAM_THROUGHPUT_INBOUND, RATE,
                        Limit.SESSION_STREAM_THROUGHPUT_INBOUND, 2 * RATE),
                0);

        List<Long> bytes = passed(
                List.of(
                        throttles.inbound(true, ThrottlesTest::equal, 0),
                        throttles.inbound(false, ThrottlesTest::equal, 0)),
                0,
                5 * SECOND);

        assertThat((double) bytes.get(0)).isCloseTo(5.0 * RATE, within(0.15 * RATE));
        assertThat((double) bytes.get(1)).isCloseTo(10.0 * RATE, within(0.3 * RATE));
    }

    @Test
    void sessions_share_a_limit_evenly() {
        Throttles throttles = new Throttles(Map.of(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, RATE), 0);
        List<CombinedThrottle> sessions = List.of(
                throttles.outbound(false, ThrottlesTest::equal, 0).files(),
                throttles.outbound(false, ThrottlesTest::equal, 0).files(),
                throttles.outbound(false, ThrottlesTest::equal, 0).files());

        List<Long> bytes = passed(sessions, 0, 5 * SECOND);

        assertThat(bytes).allSatisfy(each -> assertThat((double) each).isCloseTo(5.0 * RATE / 3, within(0.1 * RATE)));
    }

    @Test
    void an_urgent_plan_gets_a_larger_part_and_an_order_changes_that() {
        Throttles throttles = new Throttles(Map.of(Limit.STREAM_THROUGHPUT_INBOUND, RATE), 0);
        AtomicReference<Priority> repair = new AtomicReference<>(Priority.REPAIR);
        List<CombinedThrottle> sessions = List.of(
                throttles.inbound(false, () -> Priority.REPLACE, 0),
                throttles.inbound(false, () -> Priority.REBALANCE, 0),
                throttles.inbound(false, repair::get, 0));

        List<Long> bytes = passed(sessions, 0, 5 * SECOND);

        assertThat((double) bytes.get(0)).isCloseTo(5.0 * RATE * 8 / 11, within(0.2 * RATE));
        assertThat((double) bytes.get(1)).isCloseTo(5.0 * RATE * 2 / 11, within(0.1 * RATE));
        assertThat((double) bytes.get(2)).isCloseTo(5.0 * RATE / 11, within(0.1 * RATE));

        repair.set(Priority.REPLACE);
        List<Long> later = passed(sessions, 5 * SECOND, 10 * SECOND);

        assertThat((double) later.get(2)).isCloseTo((double) later.get(0), within(0.1 * RATE));
    }

    @Test
    void alone_the_least_urgent_has_all_of_the_rate() {
        Throttles throttles = new Throttles(Map.of(Limit.STREAM_THROUGHPUT_INBOUND, RATE), 0);

        long bytes = passed(throttles.inbound(false, () -> Priority.REPAIR, 0), 0, 5 * SECOND);

        assertThat((double) bytes).isCloseTo(5.0 * RATE, within(0.15 * RATE));
    }

    @Test
    void a_change_counts_at_once_also_for_the_limit_of_each_session() {
        Throttles throttles = new Throttles(Map.of(), 0);
        CombinedThrottle session =
                throttles.outbound(false, ThrottlesTest::equal, 0).files();
        passed(session, 0, SECOND);

        throttles.setRate(Limit.SESSION_STREAM_THROUGHPUT_OUTBOUND, RATE);
        assertThat((double) passed(session, SECOND, 6 * SECOND)).isCloseTo(5.0 * RATE, within(0.15 * RATE));
        throttles.setRate(Limit.SESSION_STREAM_THROUGHPUT_OUTBOUND, RATE / 10);
        passed(session, 6 * SECOND, 7 * SECOND); // the last piece of the higher rate is still owed
        assertThat((double) passed(session, 7 * SECOND, 12 * SECOND)).isCloseTo(0.5 * RATE, within(0.03 * RATE));
        throttles.setRate(Limit.SESSION_STREAM_THROUGHPUT_OUTBOUND, 0);
        assertThat(session.turn().take(1 << 20, 12 * SECOND)).isZero();
    }

    @Test
    void a_limit_that_is_raised_or_lowered_changes_pauses() {
        Throttles throttles = new Throttles(Map.of(Limit.STREAM_THROUGHPUT_INBOUND, 24L), 0);
        CombinedThrottle.Turn first =
                throttles.inbound(false, ThrottlesTest::equal, 0).turn();
        CombinedThrottle.Turn second =
                throttles.inbound(true, ThrottlesTest::equal, 0).turn();
        assertThat(first.take(48, 0)).isZero();
        assertThat(second.take(48, 0)).isEqualTo(2 * SECOND);

        throttles.setRate(Limit.STREAM_THROUGHPUT_INBOUND, 48);
        assertThat(second.pauseNanos(0)).isEqualTo(SECOND);
        throttles.setRate(Limit.STREAM_THROUGHPUT_INBOUND, 12);
        assertThat(second.pauseNanos(0)).isEqualTo(4 * SECOND);
        throttles.setRate(Limit.INTER_DC_STREAM_THROUGHPUT_INBOUND, 1);
        assertThat(second.pauseNanos(0)).as("one that was not there").isEqualTo(4 * SECOND);
        throttles.setRate(Limit.STREAM_THROUGHPUT_INBOUND, 0);
        assertThat(second.pauseNanos(0)).isZero();
    }

    /** Users who take pieces in turn, and ask again every half second while they pause. */
    private static final class Users {
        private final CombinedThrottle limits;
        private final List<CombinedThrottle.Turn> turns = new ArrayList<>();
        private final long[] due;
        private final long[] lastPassed;
        private long bytes;
        private long longestSilence;

        Users(Throttles throttles, int count) {
            this.limits = throttles.inbound(false, ThrottlesTest::equal, 0);
            this.due = new long[count];
            this.lastPassed = new long[count];
            for (int i = 0; i < count; i++) {
                turns.add(limits.turn());
                lastPassed[i] = 0;
            }
        }

        /** Lets them pass until a time; the silence of each is that since its last piece. */
        void run(long to) {
            while (true) {
                int next = 0;
                for (int i = 1; i < due.length; i++) {
                    next = due[i] < due[next] ? i : next;
                }
                long now = due[next];
                if (now >= to) {
                    break;
                }
                CombinedThrottle.Turn turn = turns.get(next);
                long left = turn.pauseNanos(now);
                if (left == 0) {
                    bytes += turn.bytes();
                    longestSilence = Math.max(longestSilence, now - lastPassed[next]);
                    lastPassed[next] = now;
                    left = turn.take(Math.min(limits.pieceBytes(), 1 << 20), now);
                }
                due[next] = now + Math.max(10_000, Math.min(left, SECOND / 2));
            }
            for (long last : lastPassed) {
                longestSilence = Math.max(longestSilence, to - last);
            }
        }
    }

    /** Deadlines of a session begin at half a minute: that of a silent data connection. */
    @ParameterizedTest
    @CsvSource({
        "12, 25165824, 65536",
        "12, 104857600, 16384",
        "12, 104857600, 1024",
        "12, 1073741824, 24",
        "128, 1073741824, 1048576",
        "128, 0, 1048576",
        "128, 104857600, 1024"
    })
    void a_lowered_limit_silences_no_user_for_long_and_holds(int count, long before, long after) {
        Throttles throttles = new Throttles(Map.of(Limit.STREAM_THROUGHPUT_INBOUND, before), 0);
        Users users = new Users(throttles, count);
        if (before > 0) {
            users.run(5 * SECOND);
        }
        users.longestSilence = 0;
        users.bytes = 0;

        throttles.setRate(Limit.STREAM_THROUGHPUT_INBOUND, after);
        users.run(65 * SECOND);

        assertThat(users.longestSilence).isLessThan(15 * SECOND);
        assertThat((double) users.bytes).isCloseTo(60.0 * after, within(0.1 * 60 * after + 2 * (1 << 20)));
        long bytes = users.bytes;
        users.run(125 * SECOND);
        assertThat((double) users.bytes - bytes).isCloseTo(60.0 * after, within(0.02 * 60 * after));
    }

    @Test
    void users_who_are_gone_hold_up_nobody() {
        Throttles throttles = new Throttles(Map.of(Limit.STREAM_THROUGHPUT_INBOUND, RATE), 0);
        List<CombinedThrottle.Turn> gone = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            gone.add(throttles.inbound(false, ThrottlesTest::equal, 0).turn());
            gone.get(i).take(RATE, 0);
        }
        CombinedThrottle.Turn left =
                throttles.inbound(false, ThrottlesTest::equal, 0).turn();
        assertThat(left.take(RATE / 20, 0)).isEqualTo(100 * SECOND);

        gone.subList(1, 100).forEach(CombinedThrottle.Turn::release);

        assertThat(left.pauseNanos(0)).isEqualTo(SECOND);
    }

    /** Whoever sets a limit again and again lets nothing pass that it does not allow. */
    @Test
    void a_limit_that_is_set_again_and_again_holds() {
        Throttles throttles = new Throttles(Map.of(), 0);
        List<CombinedThrottle.Turn> turns = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            turns.add(throttles.inbound(false, ThrottlesTest::equal, 0).turn());
        }
        long passed = 0;
        long allowed = 0;
        for (long step = 0; step < 600; step++) {
            long rate = step % 2 == 0 ? RATE : RATE / 100;
            throttles.setRate(Limit.STREAM_THROUGHPUT_INBOUND, rate);
            allowed += rate / 10;
            for (CombinedThrottle.Turn turn : turns) {
                if (turn.pauseNanos(step * SECOND / 10) == 0) {
                    passed += turn.bytes();
                    turn.take(1 << 20, step * SECOND / 10);
                }
            }
        }

        assertThat((double) passed / allowed).isCloseTo(1, within(0.05));
    }
}
