package io.sluice.streaming.session;

import io.sluice.streaming.Deadlines;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;

/**
 * How a session fetches. Immutable.
 *
 * @param connections data connections to begin with, at least 1
 * @param mostConnections as many are opened as make bytes come faster, up to this number, no less than the first
 * @param extentLengthBytes unit of transfer, checking and resume, 512 B to 64 MiB
 * @param windowExtents asked for ahead on each data connection, at least 2
 */
public record SessionSettings(
        int connections, int mostConnections, int extentLengthBytes, int windowExtents, Deadlines deadlines) {
    /** Long enough for one system call to move much, short enough to share a file between connections. */
    public static final int EXTENT_LENGTH_BYTES = 8 << 20;

    /** Enough to keep a connection busy over any round trip of a data centre. */
    private static final int WINDOW_EXTENTS = 4;

    /** More of them share a processor, and gain nothing. */
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
     * What has proved best on real networks.
     *
     * @param connections data connections; 0 for as many as it takes
     */
    public static SessionSettings of(int connections, Deadlines deadlines) {
        return connections == 0
                ? new SessionSettings(1, MOST_CONNECTIONS, EXTENT_LENGTH_BYTES, WINDOW_EXTENTS, deadlines)
                : new SessionSettings(connections, connections, EXTENT_LENGTH_BYTES, WINDOW_EXTENTS, deadlines);
    }
}
