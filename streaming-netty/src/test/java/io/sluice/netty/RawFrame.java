package io.sluice.netty;

import io.sluice.streaming.message.MessageCodec;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** Changes frames in ways that no codec does, with checksums that are right all the same. Stateless. */
final class RawFrame {
    private RawFrame() {}

    /** Replaces the first {@code old} in the body of {@code frame} by as many other bytes. */
    static void replace(byte[] frame, byte[] old, byte[] other) {
        int end = frame.length - MessageCodec.TRAILER_LENGTH_BYTES;
        for (int at = MessageCodec.HEADER_LENGTH_BYTES; at + old.length <= end; at++) {
            if (Arrays.equals(frame, at, at + old.length, old, 0, old.length)) {
                System.arraycopy(other, 0, frame, at, other.length);
                seal(frame);
                return;
            }
        }
        throw new IllegalArgumentException("not in this frame");
    }

    /** Puts the checksums that a frame of these bytes has. */
    static void seal(byte[] frame) {
        ByteBuffer bytes = ByteBuffer.wrap(frame);
        bytes.putInt(8, crc(frame, 0, 8));
        int end = frame.length - MessageCodec.TRAILER_LENGTH_BYTES;
        bytes.putInt(end, crc(frame, MessageCodec.HEADER_LENGTH_BYTES, end - MessageCodec.HEADER_LENGTH_BYTES));
    }

    private static int crc(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }
}
