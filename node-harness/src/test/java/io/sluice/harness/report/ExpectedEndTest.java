package io.sluice.harness.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.json.Json;
import io.sluice.streaming.ErrorCode;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExpectedEndTest {
    @ParameterizedTest
    @ValueSource(strings = {"installed", "failed", "failed PEER_LOST"})
    void is_read_as_it_is_written(String text) throws Exception {
        ExpectedEnd end = ExpectedEnd.read(text).orElseThrow();

        assertThat(end).hasToString(text);
        assertThat(Json.MAPPER.readValue(Json.MAPPER.writeValueAsString(end), ExpectedEnd.class))
                .isEqualTo(end);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Installed", "failed ", "failed NOTHING", "installed PEER_LOST"})
    void nothing_else_is_an_end(String text) {
        assertThat(ExpectedEnd.read(text)).isEmpty();
    }

    @Test
    void a_failure_is_expected_with_its_code_or_with_any() {
        Optional<ErrorCode> lost = Optional.of(ErrorCode.PEER_LOST);
        ExpectedEnd any = ExpectedEnd.read("failed").orElseThrow();
        ExpectedEnd one = ExpectedEnd.read("failed PEER_LOST").orElseThrow();

        assertThat(any.isFailure(lost)).isTrue();
        assertThat(any.isFailure(Optional.empty())).isTrue();
        assertThat(one.isFailure(lost)).isTrue();
        assertThat(one.isFailure(Optional.of(ErrorCode.DISK))).isFalse();
        assertThat(one.isFailure(Optional.empty())).isFalse();
        assertThat(ExpectedEnd.INSTALLED.isFailure(lost)).isFalse();
    }
}
