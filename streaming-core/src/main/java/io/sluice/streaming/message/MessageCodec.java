package io.sluice.streaming.message;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Encodes and decodes messages as frames, in the layout of the package description. Stateless. */
public final class MessageCodec {
    private static final short MAGIC = 0x534C;
    private static final byte PROTOCOL_VERSION = ProtocolVersions.FIRST;

    /** Bytes before the body. */
    public static final int HEADER_LENGTH_BYTES = 12;
    /** Bytes after the body. */
    public static final int TRAILER_LENGTH_BYTES = 4;
    /** The maximum length of a body. */
    static final int MAX_BODY_LENGTH_BYTES = 1 << 20;

    private MessageCodec() {}

    /**
     * Encodes {@code message} as a frame that is ready to be sent.
     *
     * @throws StreamException if the body exceeds the limit: the sender must page
     */
    public static ByteBuffer encode(Message message) {
        BodyWriter body = new BodyWriter(HEADER_LENGTH_BYTES);
        MessageLayout<?> type = MessageLayout.of(message);
        type.write(message, body);
        ByteBuffer frame = body.frame(TRAILER_LENGTH_BYTES);
        int length = frame.limit() - HEADER_LENGTH_BYTES - TRAILER_LENGTH_BYTES;
        if (length > MAX_BODY_LENGTH_BYTES) {
            throw new StreamException(
                    ErrorCode.INTERNAL,
                    "a message of " + length + " bytes (expected: at most " + MAX_BODY_LENGTH_BYTES + ")");
        }
        frame.putShort(MAGIC).put(PROTOCOL_VERSION).put((byte) type.number()).putInt(length);
        frame.putInt(crc(frame, 0, frame.position()));
        frame.putInt(HEADER_LENGTH_BYTES + length, crc(frame, HEADER_LENGTH_BYTES, length));
        return frame.rewind();
    }

    /**
     * The length of the frame that begins at the buffer's position, header and trailer included; reads only the header
     * and does not move the position.
     *
     * @param header at least {@link #HEADER_LENGTH_BYTES} readable bytes
     * @throws StreamException if it is not a frame of this protocol
     */
    public static int frameLength(ByteBuffer header) {
        int at = header.position();
        if (header.getInt(at + 8) != crc(header, at, 8)) {
            throw damage("frame header with a wrong checksum, or the peer does not use the Sluice protocol");
        }
        if (header.getShort(at) != MAGIC) {
            throw new StreamException(
                    ErrorCode.WRONG_PEER,
                    "a frame begins with 0x" + Integer.toHexString(header.getShort(at) & 0xffff) + " (expected: 0x"
                            + Integer.toHexString(MAGIC) + "): the peer does not use the Sluice protocol");
        }
        int version = header.get(at + 2) & 0xff;
        if (version != PROTOCOL_VERSION) {
            throw new StreamException(
                    ErrorCode.WRONG_PEER, "protocol version " + version + " (expected: " + PROTOCOL_VERSION + ")");
        }
        int length = header.getInt(at + 4);
        if (length < 0 || length > MAX_BODY_LENGTH_BYTES) {
            throw violation("length of a message: " + length + " (expected: 0 to " + MAX_BODY_LENGTH_BYTES + ")");
        }
        return HEADER_LENGTH_BYTES + length + TRAILER_LENGTH_BYTES;
    }

    /**
     * Decodes the message of one complete frame.
     *
     * @param frame exactly {@link #frameLength} readable bytes; consumed
     * @throws StreamException of code {@link ErrorCode#CORRUPT_IN_FLIGHT} if its checksum is wrong, of code
     *     {@link ErrorCode#PROTOCOL} for a malformed message
     */
    public static Message decode(ByteBuffer frame) {
        int type = frame.get(frame.position() + 3) & 0xff;
        int start = frame.position() + HEADER_LENGTH_BYTES;
        int length = frame.remaining() - HEADER_LENGTH_BYTES - TRAILER_LENGTH_BYTES;
        if (frame.getInt(start + length) != crc(frame, start, length)) {
            throw damage("message of type " + type + " has a wrong checksum");
        }
        ByteBuffer body = frame.slice(start, length);
        frame.position(frame.limit());
        try {
            Message message = MessageLayout.of(type).read(new BodyReader(body));
            if (body.hasRemaining()) {
                throw violation("message of type " + type + " has " + body.remaining() + " surplus bytes");
            }
            return message;
        } catch (BufferUnderflowException e) {
            throw malformed(type, body, "the body ends after " + length + " bytes (expected: more)", e);
        } catch (IllegalArgumentException e) {
            throw malformed(type, body, String.valueOf(e.getMessage()), e);
        }
    }

    private static StreamException malformed(int type, ByteBuffer body, String problem, Exception cause) {
        return new StreamException(
                ErrorCode.PROTOCOL,
                "message of type " + type + " at byte " + body.position() + " of its body: " + problem,
                cause);
    }

    /** The failure for a wrong checksum: caused by the network, not by the peer, and retryable. */
    private static StreamException damage(String what) {
        return new StreamException(ErrorCode.CORRUPT_IN_FLIGHT, what);
    }

    static StreamException violation(String what) {
        return new StreamException(ErrorCode.PROTOCOL, what);
    }

    private static int crc(ByteBuffer buffer, int start, int length) {
        CRC32C crc = new CRC32C();
        if (buffer.hasArray()) { // no view for each message
            crc.update(buffer.array(), buffer.arrayOffset() + start, length);
        } else {
            crc.update(buffer.slice(start, length));
        }
        return (int) crc.getValue();
    }
}
