package io.sluice.bench.mutation;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.transfer.channel.ChannelInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;
import java.util.zip.CRC32;

/** Receives frames and checks them. Not thread-safe: confined to one end of a stream. */
final class FrameInput {
    static final int MAX_REASON_BYTES = 4096;

    private final ChannelInput in;

    FrameInput(ChannelInput in) {
        this.in = in;
    }

    /** Whether the next frame has begun to arrive, so that reading it will hardly wait. */
    boolean hasMore() {
        return in.hasBuffered();
    }

    /**
     * The next frame, which must be of one of these kinds.
     *
     * @throws StreamException for the peer's reason if it says that it failed; of code {@link ErrorCode#PROTOCOL} for
     *     any other kind or length, {@link ErrorCode#CORRUPT_IN_FLIGHT} if the checksum does not match
     */
    Frame next(Frame.Kind first, Frame.Kind... others) throws IOException {
        int length = in.readInt("length of a frame", 0, Frame.MAX_PAYLOAD_BYTES);
        int number = in.readUnsignedByte();
        int expected = in.readInt();
        byte[] payload = in.readBytes(length);
        var crc = new CRC32();
        crc.update(number);
        crc.update(payload);
        if ((int) crc.getValue() != expected) {
            throw new StreamException(
                    ErrorCode.CORRUPT_IN_FLIGHT,
                    "frame before byte " + in.position() + ": CRC-32 " + Integer.toHexString((int) crc.getValue())
                            + " (expected: " + Integer.toHexString(expected) + ")");
        }
        Set<Frame.Kind> allowed = EnumSet.of(first, others);
        Frame.Kind kind = Frame.Kind.ofNumber(number).orElse(null);
        if (kind == Frame.Kind.FAILED) {
            throw failure(ByteBuffer.wrap(payload));
        }
        if (kind == null || !allowed.contains(kind)) {
            throw in.refused("frame of kind " + number + " (expected: " + allowed + ")");
        }
        return new Frame(kind, ByteBuffer.wrap(payload));
    }

    /** The number that a frame of this kind holds. */
    int number(Frame frame, int least, int greatest) {
        if (frame.payload().remaining() != Integer.BYTES) {
            throw in.refused(frame.kind() + " of " + frame.payload().remaining() + " bytes (expected: 4)");
        }
        int number = frame.payload().getInt();
        if (number < least || number > greatest) {
            throw in.refused(frame.kind() + ": " + number + " (expected: " + least + " to " + greatest + ")");
        }
        return number;
    }

    private StreamException failure(ByteBuffer payload) {
        if (payload.remaining() < Integer.BYTES || payload.remaining() > Integer.BYTES + MAX_REASON_BYTES) {
            return in.refused("FAILED of " + payload.remaining() + " bytes");
        }
        ErrorCode code = ErrorCode.of(payload.getInt()).orElse(ErrorCode.INTERNAL);
        return new StreamException(code, "the peer says: " + StandardCharsets.UTF_8.decode(payload));
    }
}
