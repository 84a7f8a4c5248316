package io.sluice.netty.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decodes messages, and passes on the raw bytes that follow a {@link Message.Stream} as buffers, in order and without
 * copying. Not shareable.
 */
final class FrameDecoder extends ByteToMessageDecoder {
    /** A pre-handshake connection gets no more memory than a hello needs. */
    private static final int MAX_FIRST_FRAME_BYTES = 16 << 10;
    /** The first two bytes of a TLS connection: the type of the record and its major version. */
    private static final int TLS_HANDSHAKE = 0x1603;

    private static final int TLS_ALERT = 0x1503;
    /** Of the first bytes, to recognise another protocol: fewer than a header, since a TLS alert has only 7. */
    private static final int RECOGNISED_BYTES = 4;

    private static final Set<String> HTTP_METHODS = Set.of("GET ", "HEAD", "POST", "PUT ", "OPTI", "CONN");

    private boolean isFirst = true;
    private int payloadLeftBytes;
    private @Nullable PeerMemory memory;
    private int chargedBytes;
    private boolean isBroken;

    /** From now on long messages are charged to {@code peer} while they arrive. On the event loop. */
    void charge(PeerMemory peer) {
        memory = peer;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (isBroken) {
            in.skipBytes(in.readableBytes());
            return;
        }
        try {
            read(in, out);
        } catch (StreamException e) {
            isBroken = true; // the following bytes cannot be interpreted
            throw e;
        }
    }

    private void read(ByteBuf in, List<Object> out) {
        if (payloadLeftBytes > 0) {
            int length = Math.min(payloadLeftBytes, in.readableBytes());
            payloadLeftBytes -= length;
            out.add(in.readRetainedSlice(length));
            return;
        }
        if (isFirst && in.readableBytes() >= RECOGNISED_BYTES) {
            requireSluice(in);
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
            pay(length);
            return;
        }
        isFirst = false;
        payBack();
        Message message = MessageCodec.decode(in.nioBuffer(in.readerIndex(), length));
        in.skipBytes(length);
        if (message instanceof Message.Stream stream) {
            payloadLeftBytes = stream.extent().lengthBytes();
        }
        out.add(message);
    }

    /**
     * Recognises peers that no damage explains; the length of a frame never begins in one of these ways.
     *
     * @throws StreamException of code {@link ErrorCode#PROTOCOL}
     */
    private static void requireSluice(ByteBuf in) {
        int start = in.getUnsignedShort(in.readerIndex());
        if (start == TLS_HANDSHAKE || start == TLS_ALERT) {
            throw new StreamException(
                    ErrorCode.PROTOCOL, "the peer uses TLS, this node does not (expected: both or neither)");
        }
        String word = in.toString(in.readerIndex(), RECOGNISED_BYTES, StandardCharsets.US_ASCII);
        if (HTTP_METHODS.contains(word)) {
            throw new StreamException(ErrorCode.PROTOCOL, "an HTTP request (expected: the Sluice protocol)");
        }
    }

    /** Charges a message of which a part has arrived: short ones are part of the connection's own charge. */
    private void pay(int length) {
        if (memory != null && chargedBytes == 0 && length > MAX_FIRST_FRAME_BYTES) {
            if (!memory.tryTake(length)) {
                throw new StreamException(ErrorCode.LIMIT, memory.shortage(length));
            }
            chargedBytes = length;
        }
    }

    private void payBack() {
        if (memory != null) {
            memory.release(chargedBytes);
            chargedBytes = 0;
        }
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) {
        payBack();
    }
}
