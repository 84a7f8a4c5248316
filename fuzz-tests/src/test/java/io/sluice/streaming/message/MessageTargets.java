package io.sluice.streaming.message;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/** Frames and messages of the Sluice dialect. Stateless. */
public final class MessageTargets {
    private static final int MAGIC_AND_VERSION_BYTES = 3;
    private static final ByteBuffer ANY = MessageCodec.encode(new Message.Complete());

    private MessageTargets() {}

    /** A frame as it arrives, most of which fail at the first checksum. */
    public static void frame(byte[] input) {
        ByteBuffer bytes = ByteBuffer.wrap(input);
        if (input.length < MessageCodec.HEADER_LENGTH_BYTES) {
            return;
        }
        int length = MessageCodec.frameLength(bytes);
        if (length <= input.length) {
            MessageCodec.decode(bytes.limit(length));
        }
    }

    /** The type of a message, then its body, in a frame whose checksums are right. */
    public static void message(byte[] input) {
        if (input.length > 0) {
            MessageCodec.decode(frameOf(input));
        }
    }

    /** What begins attached files, with a length and a checksum that are right. */
    public static void attached(byte[] input) {
        ByteBuffer header = ByteBuffer.allocate(Integer.BYTES + input.length + Integer.BYTES);
        header.putInt(input.length).put(input);
        CRC32 crc = new CRC32();
        crc.update(header.array(), 0, header.position());
        byte[] bytes = header.putInt((int) crc.getValue()).array();
        AttachedFiles files = AttachedFiles.decode(bytes);
        if (!AttachedFiles.decode(files.encode()).equals(files)) {
            throw new AssertionError("not read as it was written: " + files);
        }
    }

    private static ByteBuffer frameOf(byte[] input) {
        int length = input.length - 1;
        ByteBuffer frame =
                ByteBuffer.allocate(MessageCodec.HEADER_LENGTH_BYTES + length + MessageCodec.TRAILER_LENGTH_BYTES);
        frame.put(ANY.slice(0, MAGIC_AND_VERSION_BYTES)).put(input[0]).putInt(length);
        frame.putInt(crc(frame, 0, frame.position()));
        frame.put(input, 1, length);
        frame.putInt(crc(frame, MessageCodec.HEADER_LENGTH_BYTES, length));
        return frame.flip();
    }

    private static int crc(ByteBuffer buffer, int start, int length) {
        CRC32C crc = new CRC32C();
        crc.update(buffer.slice(start, length));
        return (int) crc.getValue();
    }
}
