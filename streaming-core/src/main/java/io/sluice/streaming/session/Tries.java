package io.sluice.streaming.session;

import io.sluice.streaming.ErrorCode;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** How often a session has failed, and how long it has waited for room. Not thread-safe: of its coordinator. */
final class Tries {
    private int attempts;
    private int failuresInARow;
    private boolean hasProgressed;
    private Duration waitedForRoom = Duration.ZERO;

    /** How long to wait before the next attempt, after one that ended for {@code why}; empty if there is to be none. */
    Optional<Duration> pause(RetryPolicy policy, ErrorCode why, boolean didProgress, RandomGenerator random) {
        attempts++;
        hasProgressed |= didProgress;
        if (didProgress) {
            failuresInARow = 0;
            waitedForRoom = Duration.ZERO;
        }
        if (attempts >= policy.maxAttempts()) {
            return Optional.empty();
        }
        if (why == ErrorCode.DISK_FULL) {
            return pauseForRoom(policy);
        }
        failuresInARow++;
        return why.isRetryable() && failuresInARow < policy.attempts()
                ? Optional.of(policy.pause(failuresInARow, random.nextDouble()))
                : Optional.empty();
    }

    /** A disk that is full before the first byte refuses the table; one that fills up meanwhile may be made room on. */
    private Optional<Duration> pauseForRoom(RetryPolicy policy) {
        if (!hasProgressed || waitedForRoom.compareTo(policy.patienceForRoom()) >= 0) {
            return Optional.empty();
        }
        waitedForRoom = waitedForRoom.plus(policy.pauseForRoom());
        return Optional.of(policy.pauseForRoom());
    }
}
