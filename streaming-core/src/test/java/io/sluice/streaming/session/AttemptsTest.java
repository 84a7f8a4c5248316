package io.sluice.streaming.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.RetryPolicy;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AttemptsTest {
    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void a_session_is_tried_again_for_exactly_the_codes_that_say_so(ErrorCode why) {
        Optional<Duration> pause = new Attempts().pause(RetryPolicy.DEFAULTS, why, true, new Random(1));

        assertThat(pause.isPresent()).isEqualTo(why.isRetryable());
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"BUSY", "LIMIT"})
    void a_place_is_waited_for_longer_than_a_source_takes_to_notice_that_its_peer_was_restarted(ErrorCode why) {
        Attempts tries = new Attempts();
        Random random = new Random(1);
        Duration waited = Duration.ZERO;
        for (Optional<Duration> pause = tries.pause(RetryPolicy.DEFAULTS, why, false, random);
                pause.isPresent();
                pause = tries.pause(RetryPolicy.DEFAULTS, why, false, random)) {
            assertThat(pause.get()).isLessThanOrEqualTo(RetryPolicy.DEFAULTS.roomPause());
            waited = waited.plus(pause.get());
        }

        assertThat(waited).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(70));
    }

    @Test
    void refusals_take_no_attempt_from_failures() {
        Attempts tries = new Attempts();
        Random random = new Random(1);
        for (int i = 0; i < 8; i++) {
            assertThat(tries.pause(RetryPolicy.DEFAULTS, ErrorCode.BUSY, false, random))
                    .isPresent();
        }

        assertThat(tries.pause(RetryPolicy.DEFAULTS, ErrorCode.PEER_LOST, false, random))
                .isPresent();
        assertThat(tries.pause(RetryPolicy.DEFAULTS, ErrorCode.PEER_LOST, false, random))
                .isPresent();
        assertThat(tries.pause(RetryPolicy.DEFAULTS, ErrorCode.PEER_LOST, false, random))
                .isPresent();
        assertThat(tries.pause(RetryPolicy.DEFAULTS, ErrorCode.PEER_LOST, false, random))
                .isEmpty();
    }

    @Test
    void who_never_gets_a_place_gives_up_after_so_many_attempts() {
        Attempts tries = new Attempts();
        RetryPolicy quick = new RetryPolicy(2, 5, Duration.ofMillis(1), Duration.ofMillis(1));
        long attempts = 1
                + Stream.generate(() -> tries.pause(quick, ErrorCode.LIMIT, false, new Random(1)))
                        .takeWhile(Optional::isPresent)
                        .count();

        assertThat(attempts).isEqualTo(5);
    }
}
