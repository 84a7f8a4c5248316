package io.sluice.streaming.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ThrottleTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void lets_ten_seconds_of_bytes_leave_in_ten_seconds() {
        Throttle throttle = new Throttle(1_000, 0);
        long now = 0;
        for (int i = 0; i < 100; i++) {
            now += throttle.take(100, now);
        }

        assertThat(now).isBetween(10 * SECOND - SECOND / 4, 10 * SECOND);
    }

    @Test
    void saves_no_more_than_a_burst_in_silence() {
        Throttle throttle = new Throttle(1_000, 0);

        assertThat(throttle.take(100, 100 * SECOND)).isZero();
        assertThat(throttle.take(1_000, 100 * SECOND)).isZero();
        assertThat(throttle.take(1, 100 * SECOND)).isEqualTo(SECOND);
    }

    @Test
    void a_debt_at_a_low_rate_is_paid_at_the_higher_one() {
        Throttle throttle = new Throttle(24, 0);
        throttle.take(4 << 10, 0);
        assertThat(throttle.take(4 << 10, 0)).isGreaterThan(100 * SECOND);

        throttle.setRate(24 << 20);

        assertThat(throttle.take(4 << 10, 0)).isBetween(0L, SECOND / 1_000);
    }

    @Test
    void what_is_owed_is_owed_in_bytes_at_any_rate() {
        Throttle throttle = new Throttle(24 << 20, 0);
        throttle.take(24 << 20, 0);

        throttle.setRate(12 << 20);

        assertThat(throttle.take(1, 0)).isEqualTo(2 * SECOND);
    }

    /** So does a connection that reads with a buffer of a piece of the rate before. */
    @Test
    void a_rate_that_is_raised_or_lifted_shortens_pauses_for_pieces_of_any_length() {
        Throttle throttle = new Throttle(1 << 20, 0);
        Throttle.Place last = Throttle.NO_WAIT;
        for (int i = 0; i < 128; i++) {
            last = throttle.place(1 << 20, 0);
        }
        assertThat(throttle.pauseNanos(last, 0)).isEqualTo(127 * SECOND);
        assertThat(throttle.pauseNanos(last, 27 * SECOND)).isEqualTo(100 * SECOND);

        throttle.setRate(50 << 20);
        assertThat(throttle.pauseNanos(last, 27 * SECOND)).isEqualTo(2 * SECOND);

        throttle.setRate(0);
        assertThat(throttle.pauseNanos(last, 27 * SECOND)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8, 32, 128})
    void a_rate_that_falls_and_rises_again_and_again_holds_in_total(int users) {
        long rate = 10 << 20;
        Throttle throttle = new Throttle(rate, 0);
        PriorityQueue<Piece> pauses = new PriorityQueue<>(Comparator.comparing(Piece::passesNanos));
        for (int i = 0; i < users; i++) {
            pauses.add(new Piece(0, Throttle.NO_WAIT, 0));
        }
        long passed = 0;
        long allowed = 0;

        for (long half = 0; half < 2 * 60; half++) {
            long now = half * SECOND / 2;
            long lower = half % 2 == 0 ? rate : rate * 3 / 4;
            throttle.setRate(lower);
            allowed += lower / 2;
            while (pauses.element().passesNanos() < now + SECOND / 2) {
                Piece piece = pauses.remove();
                long left = throttle.pauseNanos(piece.place(), piece.passesNanos());
                if (left > 0) {
                    pauses.add(new Piece(piece.passesNanos() + left, piece.place(), piece.bytes()));
                    continue;
                }
                passed += piece.bytes();
                int next = throttle.pieceBytes();
                Throttle.Place place = throttle.place(next, piece.passesNanos());
                pauses.add(
                        new Piece(piece.passesNanos() + throttle.pauseNanos(place, piece.passesNanos()), place, next));
            }
        }

        assertThat((double) passed / allowed).isBetween(0.97, 1.03);
    }

    private record Piece(long passesNanos, Throttle.Place place, long bytes) {}

    @Test
    void what_is_released_is_paid_by_nobody() {
        Throttle throttle = new Throttle(1_000, 0);
        throttle.place(1_000, 0);
        Throttle.Place gone = throttle.place(10_000, 0);
        Throttle.Place behind = throttle.place(1_000, 0);
        assertThat(throttle.pauseNanos(behind, 0)).isEqualTo(11 * SECOND);

        throttle.release(gone, 4_000);
        assertThat(throttle.pauseNanos(gone, 0)).isEqualTo(SECOND);
        assertThat(throttle.pauseNanos(behind, 0)).isEqualTo(7 * SECOND);
        throttle.release(gone, 10_000);
        throttle.release(gone, 10_000);

        assertThat(throttle.pauseNanos(behind, 0)).isEqualTo(SECOND);
        assertThat(throttle.take(1, 0)).isEqualTo(2 * SECOND);
    }

    @Test
    void what_is_released_although_it_may_pass_is_paid_by_nobody_either() {
        Throttle throttle = new Throttle(1_000, 0);
        Throttle.Place first = throttle.place(1_000, 0);
        Throttle.Place second = throttle.place(1_000, 0);
        Throttle.Place third = throttle.place(1_000, 0);
        assertThat(throttle.pauseNanos(second, SECOND)).isZero();

        throttle.release(first, 1_000);
        throttle.release(second, 1_000);

        assertThat(throttle.pauseNanos(third, SECOND)).isZero();
        assertThat(throttle.take(1, SECOND)).isLessThanOrEqualTo(SECOND);
    }

    @Test
    void what_waits_while_a_limit_is_lifted_is_not_owed_under_the_next_one() {
        Throttle throttle = new Throttle(1_000, 0);
        throttle.place(1_000, 0);
        Throttle.Place waiting = throttle.place(100_000, 0);

        throttle.setRate(0);
        assertThat(throttle.pauseNanos(waiting, 0)).isZero();
        throttle.setRate(1_000);

        assertThat(throttle.take(1, 0)).isEqualTo(SECOND);
    }

    @Test
    void what_has_passed_at_a_high_rate_holds_up_a_low_one_for_some_seconds_only() {
        Throttle throttle = new Throttle(100 << 20, 0);
        throttle.take(1 << 20, 0);

        throttle.setRate(1 << 10);

        assertThat(throttle.take(50, 0)).isEqualTo(5 * SECOND);
    }

    @Test
    void never_pauses_without_a_limit() {
        Throttle throttle = new Throttle(0, 0);

        assertThat(throttle.pieceBytes()).isEqualTo(Integer.MAX_VALUE);
        assertThat(throttle.take(Long.MAX_VALUE, 1)).isZero();
    }
}
