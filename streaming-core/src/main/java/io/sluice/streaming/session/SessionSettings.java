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
 * @param dutyPercent share of its time, 1 to 100 %, that the thread of a data connection may spend on received bytes
 */
public record SessionSettings(
        int connections,
        int mostConnections,
        int extentLengthBytes,
        int windowExtents,
        int dutyPercent,
        Deadlines deadlines) {
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
                || windowExtents < 2
                || dutyPercent < 1
                || dutyPercent > 100) {
            throw new IllegalArgumentException(
                    connections + " to " + mostConnections + " connections, extents of " + extentLengthBytes
                            + " bytes, window of " + windowExtents + ", duty of " + dutyPercent
                            + " % (expected: at least 1, ascending, " + Message.MIN_CHECKED_LENGTH_BYTES + " to "
                            + Extent.MAX_LENGTH_BYTES + ", at least 2, 1 to 100)");
        }
    }

    /**
     * Settings that proved best on real networks.
     *
     * @param connections data connections; 0 to add them as {@link ConnectionRamp} decides
     */
    public static SessionSettings of(int connections, Deadlines deadlines) {
        int first = Math.max(1, connections);
        int most = connections == 0 ? MOST_CONNECTIONS : connections;
        return new SessionSettings(first, most, EXTENT_LENGTH_BYTES, WINDOW_EXTENTS, 100, deadlines);
    }

    /**
     * The same for a node that serves clients meanwhile: connections are added for at most half of its processors.
     *
     * @param processors of the node
     * @param duty as {@link #dutyPercent}
     */
    public SessionSettings besideClients(int processors, int duty) {
        int most = Math.max(connections, Math.min(mostConnections, processors / 2));
        return new SessionSettings(connections, most, extentLengthBytes, windowExtents, duty, deadlines);
    }
}
