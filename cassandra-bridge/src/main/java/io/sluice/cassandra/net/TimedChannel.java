package io.sluice.cassandra.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ByteChannel;
import java.time.Duration;

/**
 * A connection whose reads and writes have a timeout. One thread may read and one may write; any thread may close it,
 * which ends their waits. A write takes all bytes; a read returns at least one byte, or -1 at the end.
 */
public interface TimedChannel extends ByteChannel {
    /** Address of the other end. */
    InetSocketAddress peer();

    /** Bounds each wait for a byte to read from now on; ends the deadline. */
    void setReadTimeout(Duration limit);

    /** Bounds all reads from now on together, beside the timeout of each, until the timeout is set again. */
    void setReadDeadline(Duration limit);

    /** Bounds each wait for room to write from now on. */
    void setWriteTimeout(Duration limit);

    @Override
    void close() throws IOException;
}
