package io.sluice.streaming;

import java.time.Duration;

/**
 * The timeouts of a session. Immutable.
 *
 * @param heartbeat period of heartbeats, which carry the progress of an end
 * @param silence a peer that sends nothing for this long is lost
 * @param prepare wait for connections, offers and free space without progress
 * @param transfer wait for bytes without progress
 * @param install wait for received tables to become live
 */
public record Deadlines(Duration heartbeat, Duration silence, Duration prepare, Duration transfer, Duration install) {
    private static final int SILENT_PERIODS = 6;

    /** The defaults for the given heartbeat period. */
    public static Deadlines of(Duration period) {
        return new Deadlines(
                period,
                period.multipliedBy(SILENT_PERIODS),
                Duration.ofMinutes(2),
                Duration.ofMinutes(2),
                Duration.ofMinutes(10));
    }
}
