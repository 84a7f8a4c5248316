package io.sluice.streaming.session;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.RetryPolicy;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Counts failed attempts of a session or query, and its waits for space or a slot. Not thread-safe: confined to its
 * owner.
 */
public final class Attempts {
    private int attempts;
    private int failuresInARow;
    private int refusalsInARow;
    private boolean hasProgressed;
    private Duration waited = Duration.ZERO;

    /**
     * The pause before the next attempt, after one that failed with {@code why}; empty if there are no more attempts.
     */
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
            // A disk that is full before the first byte refuses the table; if it fills up later, space may become free.
            case DISK_FULL -> hasProgressed ? waiting(policy, policy.roomPause()) : Optional.empty();
            case BUSY, LIMIT -> {
                Duration pause = policy.pause(++refusalsInARow, random.nextDouble());
                yield waiting(policy, pause.compareTo(policy.roomPause()) < 0 ? pause : policy.roomPause());
            }
            default ->
                ++failuresInARow < policy.attempts()
                        ? Optional.of(policy.pause(failuresInARow, random.nextDouble()))
                        : Optional.empty();
        };
    }

    private Optional<Duration> waiting(RetryPolicy policy, Duration pause) {
        if (waited.compareTo(policy.roomTimeout()) >= 0) {
            return Optional.empty();
        }
        waited = waited.plus(pause);
        return Optional.of(pause);
    }
}
