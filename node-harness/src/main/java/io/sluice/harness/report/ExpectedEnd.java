package io.sluice.harness.report;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.sluice.streaming.ErrorCode;
import java.util.Arrays;
import java.util.Optional;

/**
 * How a run is to end, as scenarios write it: {@code failed PEER_LOST}. Immutable.
 *
 * @param isInstalled whether the operation is to succeed
 * @param code the error code of the failure; empty if any will do
 */
public record ExpectedEnd(boolean isInstalled, Optional<ErrorCode> code) {
    /** The operation succeeds. */
    public static final ExpectedEnd INSTALLED = new ExpectedEnd(true, Optional.empty());

    private static final ExpectedEnd FAILED = new ExpectedEnd(false, Optional.empty());

    /** What a text says; empty if it is none of these. */
    public static Optional<ExpectedEnd> read(String text) {
        return Arrays.stream(ErrorCode.values())
                .map(code -> new ExpectedEnd(false, Optional.of(code)))
                .filter(end -> end.toString().equals(text))
                .findFirst()
                .or(() -> INSTALLED.toString().equals(text) ? Optional.of(INSTALLED) : Optional.empty())
                .or(() -> FAILED.toString().equals(text) ? Optional.of(FAILED) : Optional.empty());
    }

    @JsonCreator
    static ExpectedEnd of(String text) {
        return read(text).orElseThrow(() -> new IllegalArgumentException("not an end of a run: " + text));
    }

    /** Whether a failure with {@code failure} is expected; empty for one without a code. */
    public boolean isFailure(Optional<ErrorCode> failure) {
        return !isInstalled && (code.isEmpty() || code.equals(failure));
    }

    /** As scenarios and reports write it. */
    @JsonValue
    @Override
    public String toString() {
        return isInstalled ? "installed" : code.map(one -> "failed " + one).orElse("failed");
    }
}
