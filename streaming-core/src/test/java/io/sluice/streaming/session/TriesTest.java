package io.sluice.streaming.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.ErrorCode;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TriesTest {
    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void a_session_is_tried_again_for_exactly_the_codes_that_say_so(ErrorCode why) {
        Optional<Duration> pause = new Tries().pause(RetryPolicy.DEFAULTS, why, true, new Random(1));

        assertThat(pause.isPresent()).isEqualTo(why.isRetryable());
    }
}
