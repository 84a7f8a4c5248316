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
            long pause = chain.take(piece, due[next]);
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
        assertThat((double) passed(session, 6 * SECOND, 11 * SECOND)).isCloseTo(0.5 * RATE, within(0.03 * RATE));
        throttles.setRate(Limit.SESSION_STREAM_THROUGHPUT_OUTBOUND, 0);
        assertThat(session.take(1 << 20, 11 * SECOND)).isZero();
    }

    /** Else whoever sets a limit each second would let a piece of each connection pass each time. */
    @Test
    void only_a_rise_of_a_very_low_limit_ends_pauses() {
        Throttles throttles = new Throttles(Map.of(Limit.STREAM_THROUGHPUT_INBOUND, 1L << 20), 0);
        CombinedThrottle inbound = throttles.inbound(false, ThrottlesTest::equal, 0);
        long before = inbound.changes();

        throttles.setRate(Limit.STREAM_THROUGHPUT_INBOUND, 1 << 20);
        throttles.setRate(Limit.STREAM_THROUGHPUT_INBOUND, 2 << 20);
        throttles.setRate(Limit.STREAM_THROUGHPUT_INBOUND, 48);
        throttles.setRate(Limit.STREAM_THROUGHPUT_INBOUND, 24);
        throttles.setRate(Limit.STREAM_THROUGHPUT_INBOUND, 24);
        assertThat(inbound.changes()).isEqualTo(before);

        throttles.setRate(Limit.STREAM_THROUGHPUT_INBOUND, 48);
        assertThat(inbound.changes()).isGreaterThan(before);
        before = inbound.changes();
        throttles.setRate(Limit.STREAM_THROUGHPUT_INBOUND, 0);
        assertThat(inbound.changes()).isGreaterThan(before);
    }
}
