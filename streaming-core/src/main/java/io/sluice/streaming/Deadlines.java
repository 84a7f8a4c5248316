package io.sluice.streaming;

import java.time.Duration;

/**
 * How long a session waits, and for what. Immutable.
 *
 * @param heartbeat how often an end says that it lives, and what it is doing
 * @param silence an end from which nothing was received for so long is lost
 * @param prepare for connections, offers and room, without any progress
 * @param transfer for bytes, without any
 * @param install for what was received to become live
 */
public record Deadlines(Duration heartbeat, Duration silence, Duration prepare, Duration transfer, Duration install) {
    private static final int SILENT_PERIODS = 6;

    /** What the settings say, for a heartbeat as often as {@code period}. */
    public static Deadlines of(Duration period) {
        return new Deadlines(
                period,
                period.multipliedBy(SILENT_PERIODS),
                Duration.ofMinutes(2),
                Duration.ofMinutes(2),
                Duration.ofMinutes(10));
    }
}
