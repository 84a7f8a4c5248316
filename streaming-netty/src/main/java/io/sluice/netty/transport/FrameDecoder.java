package io.sluice.netty.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import java.util.List;

/**
 * Turns bytes into messages, and passes on the raw bytes that follow a {@link Message.Stream} as buffers, in order and
 * without copying. Not shareable.
 */
public final class FrameDecoder extends ByteToMessageDecoder {
    /** Who has not said who it is gets no more memory than that takes. */
    private static final int MAX_FIRST_FRAME_BYTES = 16 << 10;

    private boolean isFirst = true;
    private int payloadLeftBytes;

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (payloadLeftBytes > 0) {
            int length = Math.min(payloadLeftBytes, in.readableBytes());
            payloadLeftBytes -= length;
            out.add(in.readRetainedSlice(length));
            return;
        }
        if (in.readableBytes() < MessageCodec.HEADER_LENGTH_BYTES) {
            return;
        }
        int length = MessageCodec.frameLength(in.nioBuffer(in.readerIndex(), MessageCodec.HEADER_LENGTH_BYTES));
        if (isFirst && length > MAX_FIRST_FRAME_BYTES) {
            throw new StreamException(
                    ErrorCode.PROTOCOL,
                    "a first message of " + length + " bytes (expected: at most " + MAX_FIRST_FRAME_BYTES + ")");
        }
        if (in.readableBytes() < length) {
            return;
        }
        isFirst = false;
        Message message = MessageCodec.decode(in.nioBuffer(in.readerIndex(), length));
        in.skipBytes(length);
        if (message instanceof Message.Stream stream) {
            payloadLeftBytes = stream.extent().lengthBytes();
        }
        out.add(message);
    }
}
