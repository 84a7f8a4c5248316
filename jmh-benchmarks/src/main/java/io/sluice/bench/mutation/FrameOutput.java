package io.sluice.bench.mutation;

import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.transfer.channel.ChannelOutput;
import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/** Sends frames; small ones together. Not thread-safe: confined to one end of a stream. */
final class FrameOutput {
    private static final int FLUSH_BYTES = 64 << 10;

    private final ChannelOutput out;
    private final GrowingBuffer pending = new GrowingBuffer();

    FrameOutput(WritableByteChannel channel) {
        this.out = new ChannelOutput(channel);
    }

    /** Bytes sent so far, and those that wait. */
    long position() {
        return out.position() + pending.length();
    }

    /** Sends a frame with all that {@code payload} holds, and clears it; it may wait for {@link #flush()}. */
    void add(Frame.Kind kind, GrowingBuffer payload) throws IOException {
        if (payload.length() > Frame.MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("frame of " + payload.length() + " bytes (expected: at most "
                    + Frame.MAX_PAYLOAD_BYTES + "; move this table by its files instead)");
        }
        var crc = new CRC32();
        crc.update(kind.number());
        crc.update(payload.written());
        pending.putInt(payload.length()).putByte(kind.number()).putInt((int) crc.getValue());
        pending.put(payload);
        payload.clear();
        if (pending.length() >= FLUSH_BYTES) {
            flush();
        }
    }

    void add(Frame.Kind kind) throws IOException {
        add(kind, new GrowingBuffer());
    }

    void addNumber(Frame.Kind kind, int number) throws IOException {
        add(kind, new GrowingBuffer().putInt(number));
    }

    void fail(StreamException reason) throws IOException {
        byte[] text = String.valueOf(reason.getMessage()).getBytes(StandardCharsets.UTF_8);
        var payload = new GrowingBuffer().putInt(reason.code().code());
        add(Frame.Kind.FAILED, payload.put(text, 0, Math.min(text.length, FrameInput.MAX_REASON_BYTES)));
        flush();
    }

    void flush() throws IOException {
        out.write(pending);
    }
}
