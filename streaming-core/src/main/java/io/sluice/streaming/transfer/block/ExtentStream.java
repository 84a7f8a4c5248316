package io.sluice.streaming.transfer.block;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the stream of a data connection: announcements of extents, each followed by its bytes, and heartbeats between
 * them. Accepts only requested extents, in the order of the requests. Computes the checksum of the bytes while they are
 * in the CPU cache, between socket and file.
 *
 * <p>Not thread-safe, except {@link #arrivingBytes} and {@link #outstanding}: confined to the thread of the connection.
 */
public final class ExtentStream implements AutoCloseable {
    /** More than the length of any message on a data connection. */
    private static final int MAX_FRAME_BYTES = 4 << 10;

    private final DataReceiver receiver;
    private final Queue<Extent> expected = new ArrayDeque<>();
    private final CRC32 crc = new CRC32();
    private @Nullable Arriving current;
    private volatile long arrivingBytes;
    private volatile int outstanding;

    /** The extent that is being received. */
    private static final class Arriving {
        final Extent extent;
        final DataReceiver.Landing file;
        long position;

        Arriving(Extent extent, DataReceiver.Landing file) {
            this.extent = extent;
            this.file = file;
            this.position = extent.offset();
        }
    }

    /** Creates a stream without requested extents. */
    public ExtentStream(DataReceiver receiver) {
        this.receiver = receiver;
    }

    /** Adds requested extents, after all previous ones. */
    public void fetching(List<Extent> extents) {
        expected.addAll(extents);
        outstanding = expected.size();
    }

    /** Whether all requested extents have arrived. */
    public boolean isIdle() {
        return expected.isEmpty() && current == null;
    }

    /** Bytes received so far of the current extent. For any thread. */
    public long arrivingBytes() {
        return arrivingBytes;
    }

    /** Requested extents of which no byte has arrived. For any thread. */
    public int outstanding() {
        return outstanding;
    }

    /** A failure that another connection would not solve: of the disk, or of the peer. */
    public static final class FinalException extends IOException {
        private static final long serialVersionUID = 1L;

        FinalException(Exception cause) {
            super(cause.getMessage(), cause);
        }
    }

    /**
     * Consumes {@code buffer}, except an incomplete message at its end.
     *
     * @throws FinalException if received bytes cannot be stored, or were not requested
     * @throws IOException if the peer has ended the session
     * @throws StreamException if a message is corrupt
     */
    public void consume(ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            Arriving arriving = current;
            if (arriving != null) {
                land(arriving, buffer);
            } else if (!begin(buffer)) {
                return;
            }
        }
    }

    /** Reads one message; returns false if it is incomplete. */
    private boolean begin(ByteBuffer buffer) throws IOException {
        try {
            return announce(buffer);
        } catch (StreamException e) {
            if (e.code() == ErrorCode.PROTOCOL || e.code() == ErrorCode.WRONG_PEER) {
                throw new FinalException(e);
            }
            throw e;
        }
    }

    private boolean announce(ByteBuffer buffer) throws IOException {
        if (buffer.remaining() < MessageCodec.HEADER_LENGTH_BYTES) {
            return false;
        }
        int length = frameLength(buffer.slice(buffer.position(), MessageCodec.HEADER_LENGTH_BYTES));
        if (buffer.remaining() < length) {
            return false;
        }
        Message message = MessageCodec.decode(buffer.slice(buffer.position(), length));
        buffer.position(buffer.position() + length);
        if (message instanceof Message.SessionFailed failed) {
            throw new IOException("peer ended the session: " + failed.code() + ": " + failed.reason());
        }
        if (message instanceof Message.KeepAlive) {
            return true;
        }
        if (!(message instanceof Message.Stream stream)) {
            throw new StreamException(ErrorCode.PROTOCOL, message.getClass().getSimpleName() + " on a data connection");
        }
        Extent extent = stream.extent();
        if (!extent.equals(expected.poll())) {
            throw new StreamException(ErrorCode.PROTOCOL, extent + " was not requested, or not in this order");
        }
        outstanding = expected.size();
        try {
            current = new Arriving(extent, receiver.begin(extent));
        } catch (IOException | StreamException e) {
            throw new FinalException(e);
        }
        crc.reset();
        return true;
    }

    /**
     * The length of the message that begins with {@code header}.
     *
     * @throws StreamException if it exceeds the limit for data connections
     */
    public static int frameLength(ByteBuffer header) {
        int length = MessageCodec.frameLength(header);
        if (length > MAX_FRAME_BYTES) {
            throw new StreamException(ErrorCode.PROTOCOL, "a message of " + length + " bytes on a data connection");
        }
        return length;
    }

    private void land(Arriving arriving, ByteBuffer buffer) throws FinalException {
        Extent extent = arriving.extent;
        int from = buffer.position();
        int end = buffer.limit();
        int length = (int) Math.min(buffer.remaining(), extent.end() - arriving.position);
        buffer.limit(from + length);
        crc.update(buffer);
        buffer.position(from);
        try {
            arriving.file.write(buffer, arriving.position);
        } catch (IOException e) {
            throw new FinalException(e);
        }
        buffer.limit(end);
        arriving.position += length;
        boolean isWhole = arriving.position == extent.end();
        arrivingBytes = isWhole ? 0 : arriving.position - extent.offset();
        if (isWhole) {
            close();
            receiver.received(extent, crc.getValue());
        }
    }

    /** Ends the stream, possibly in the middle of an extent. */
    @Override
    public void close() {
        Arriving left = current;
        if (left != null) {
            current = null;
            left.file.close();
        }
    }
}
