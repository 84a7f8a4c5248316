package io.sluice.netty.receive;

import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import io.sluice.streaming.session.ConnectionLiveness;
import io.sluice.streaming.transfer.block.ExtentStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Sends and reads the messages of a data connection, which travel between the bytes of extents. Several threads may
 * send, one receives; messages are never interleaved.
 */
final class DataChannelMessages {
    private final ByteChannel stream;
    private final ConnectionLiveness liveness;
    private final ReentrantLock writing = new ReentrantLock();

    DataChannelMessages(ByteChannel stream, ConnectionLiveness liveness) {
        this.stream = stream;
        this.liveness = liveness;
    }

    /** Sends {@code message}; blocks while another thread sends or the peer does not read. */
    void send(Message message) throws IOException {
        writing.lock();
        try {
            write(message);
        } finally {
            writing.unlock();
        }
    }

    /** Sends {@code message}, unless another message is being sent: that proves liveness as well. */
    void sendIfIdle(Message message) throws IOException {
        if (writing.tryLock()) {
            try {
                write(message);
            } finally {
                writing.unlock();
            }
        }
    }

    private void write(Message message) throws IOException {
        stream.write(MessageCodec.encode(message)); // writes all of it: the channel blocks
        liveness.sent(System.nanoTime());
    }

    /** Reads exactly one message. */
    Message read() throws IOException {
        ByteBuffer header = ByteBuffer.allocate(MessageCodec.HEADER_LENGTH_BYTES);
        readFully(header);
        ByteBuffer frame =
                ByteBuffer.allocate(ExtentStream.frameLength(header.flip())).put(header);
        readFully(frame);
        return MessageCodec.decode(frame.flip());
    }

    private void readFully(ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            if (stream.read(into) < 0) {
                throw new EOFException("the peer closed the connection");
            }
        }
    }
}
