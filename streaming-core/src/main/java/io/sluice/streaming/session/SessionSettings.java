package io.sluice.streaming.session;

import io.sluice.streaming.Deadlines;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;

/**
 * Settings of the data connections of a session. Immutable.
 *
 * @param connections initial data connections, at least 1
 * @param mostConnections maximum number of data connections; more are added as long as the throughput grows. At least
 *     {@code connections}
 * @param extentLengthBytes unit of transfer, checking and resume, 512 B to 64 MiB
 * @param windowExtents extents requested in advance on each data connection, at least 2
 */
public record SessionSettings(
        int connections, int mostConnections, int extentLengthBytes, int windowExtents, Deadlines deadlines) {
    /** Large enough for efficient system calls, small enough to divide a file among connections. */
    public static final int EXTENT_LENGTH_BYTES = 8 << 20;

    /** Enough to keep a connection busy over the round-trip time of any data centre. */
    private static final int WINDOW_EXTENTS = 4;

    /** More connections share a processor, and gain nothing. */
    private static final int MOST_CONNECTIONS = 8;

    public SessionSettings {
        if (connections < 1
                || mostConnections < connections
                || extentLengthBytes < Message.MIN_CHECKED_LENGTH_BYTES
                || extentLengthBytes > Extent.MAX_LENGTH_BYTES
                || windowExtents < 2) {
            throw new IllegalArgumentException(
                    connections + " to " + mostConnections + " connections, extents of " + extentLengthBytes
                            + " bytes, window of " + windowExtents + " (expected: at least 1, ascending, "
                            + Message.MIN_CHECKED_LENGTH_BYTES + " to " + Extent.MAX_LENGTH_BYTES + ", at least 2)");
        }
    }

    /**
     * Settings that proved best on real networks.
     *
     * @param connections data connections; 0 to add them as {@link ConnectionRamp} decides
     */
    public static SessionSettings of(int connections, Deadlines deadlines) {
        return connections == 0
                ? new SessionSettings(1, MOST_CONNECTIONS, EXTENT_LENGTH_BYTES, WINDOW_EXTENTS, deadlines)
                : new SessionSettings(connections, connections, EXTENT_LENGTH_BYTES, WINDOW_EXTENTS, deadlines);
    }
}
