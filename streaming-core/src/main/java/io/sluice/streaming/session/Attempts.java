package io.sluice.streaming.session;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.RetryPolicy;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * How often a session, or a question, has failed, and how long it has waited for room or a place. Not thread-safe: of
 * its owner.
 */
public final class Attempts {
    private int attempts;
    private int failuresInARow;
    private int refusalsInARow;
    private boolean hasProgressed;
    private Duration waited = Duration.ZERO;

    /** How long to wait before the next attempt, after one that ended for {@code why}; empty if there is to be none. */
    public Optional<Duration> pause(RetryPolicy policy, ErrorCode why, boolean didProgress, RandomGenerator random) {
        attempts++;
        hasProgressed |= didProgress;
        if (didProgress) {
            failuresInARow = 0;
            refusalsInARow = 0;
            waited = Duration.ZERO;
        }
        if (attempts >= policy.maxAttempts() || !why.isRetryable()) {
            return Optional.empty();
        }
        return switch (why) {
            // A disk that is full before the first byte refuses the table; one that fills up may be made room on.
            case DISK_FULL -> hasProgressed ? waiting(policy, policy.pauseForRoom()) : Optional.empty();
            case BUSY, LIMIT -> {
                Duration pause = policy.pause(++refusalsInARow, random.nextDouble());
                yield waiting(policy, pause.compareTo(policy.pauseForRoom()) < 0 ? pause : policy.pauseForRoom());
            }
            default ->
                ++failuresInARow < policy.attempts()
                        ? Optional.of(policy.pause(failuresInARow, random.nextDouble()))
                        : Optional.empty();
        };
    }

    private Optional<Duration> waiting(RetryPolicy policy, Duration pause) {
        if (waited.compareTo(policy.patienceForRoom()) >= 0) {
            return Optional.empty();
        }
        waited = waited.plus(pause);
        return Optional.of(pause);
    }
}
