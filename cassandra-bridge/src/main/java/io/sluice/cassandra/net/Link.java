package io.sluice.cassandra.net;

import io.sluice.cassandra.wire.MessageWriter;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.sstable.encoding.Bytes;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * A connection with a Cassandra node after the handshake. Reading blocks and belongs to one thread; writing blocks and
 * belongs to one thread, which may be another. Closing is for anybody, and ends what blocks.
 */
public sealed interface Link extends AutoCloseable permits IncomingLink, OutgoingLink {
    /** The other end of the connection, which need not be the node's identity. */
    InetSocketAddress remote();

    /** How long reading waits for the next byte. */
    void setReadTimeout(Duration limit);

    /**
     * The next message.
     *
     * @throws IOException if there is none because the connection ended
     */
    StreamMessage read() throws IOException;

    /** Sends bytes, and waits until the socket has them. */
    void send(Bytes bytes) throws IOException;

    /** Sends a message. */
    default void send(StreamMessage message) throws IOException {
        send(MessageWriter.encode(message));
    }

    @Override
    void close();
}
