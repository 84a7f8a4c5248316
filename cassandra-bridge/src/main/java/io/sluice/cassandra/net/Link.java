package io.sluice.cassandra.net;

import io.sluice.cassandra.wire.ConnectionLostException;
import io.sluice.cassandra.wire.MessageWriter;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.sstable.encoding.Bytes;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * A connection with a Cassandra node after the handshake. Reading blocks and belongs to one thread; writing blocks and
 * belongs to one thread, which may be another. Any thread may close it, which ends blocked reads and writes.
 */
public sealed interface Link extends AutoCloseable permits IncomingLink, OutgoingLink {
    /** Address of the other end of the connection, which need not be the node's identity. */
    InetSocketAddress remote();

    /** Sets how long a read waits for the next byte. */
    void setReadTimeout(Duration limit);

    /**
     * Reads the next message.
     *
     * @throws ConnectionLostException if the connection ended before it
     */
    StreamMessage read() throws IOException;

    /**
     * Sends bytes and waits until the socket has accepted them.
     *
     * @throws ConnectionLostException if the connection failed
     */
    void send(Bytes bytes) throws IOException;

    /** Sends a message. */
    default void send(StreamMessage message) throws IOException {
        send(MessageWriter.encode(message));
    }

    @Override
    void close();
}
