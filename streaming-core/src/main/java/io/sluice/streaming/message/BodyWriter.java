package io.sluice.streaming.message;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.planner.SSTableSpan;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/** Writes the fields of the body of one message. Not thread-safe: use one for each message. */
final class BodyWriter {
    /** Enough for a frame with an extent, the message sent most. */
    private static final int USUAL_BYTES = 64;

    private ByteBuffer out = ByteBuffer.allocate(USUAL_BYTES);

    /** Begins behind {@code headerBytes} bytes, which stay free for the caller. */
    BodyWriter(int headerBytes) {
        out.position(headerBytes);
    }

    /** What is in front of the body, the body, and {@code trailerBytes} bytes behind it. */
    ByteBuffer frame(int trailerBytes) {
        ensure(trailerBytes);
        return out.position(out.position() + trailerBytes).flip();
    }

    void offer(SSTableOffer offer) {
        i32(offer.number()).uuid(offer.tableId()).string(offer.source().toString());
        i64(offer.first().value()).i64(offer.last().value());
        u8(offer.choice().mode().code()).string(offer.choice().reason());
        u8(offer.components().size());
        for (ComponentManifest manifest : offer.components()) {
            component(manifest.component()).i64(manifest.lengthBytes()).i32((int) manifest.crc32());
        }
    }

    void extent(Extent extent) {
        i32(extent.offer()).component(extent.component()).i64(extent.offset()).i32(extent.lengthBytes());
    }

    void spans(List<SSTableSpan> spans) {
        i32(spans.size());
        for (SSTableSpan span : spans) {
            i64(span.first().value()).i64(span.last().value()).i64(span.lengthBytes());
        }
    }

    BodyWriter ranges(TokenRanges ranges) {
        i32(ranges.ranges().size());
        for (TokenRange range : ranges.ranges()) {
            i64(range.start().value()).i64(range.end().value());
        }
        return this;
    }

    BodyWriter doing(Message.Doing doing) {
        return string(doing.stage())
                .i32(doing.seconds())
                .i64(doing.verifiedBytes())
                .i64(doing.durableBytes())
                .i32(doing.queued());
    }

    BodyWriter component(Component component) {
        return u8(WireComponent.code(component));
    }

    /** A number of elements, and each as {@code element} writes it. */
    <T> BodyWriter list(List<T> elements, Consumer<T> element) {
        i32(elements.size());
        elements.forEach(element);
        return this;
    }

    BodyWriter bool(boolean value) {
        return u8(value ? 1 : 0);
    }

    BodyWriter string(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, BodyReader.MAX_STRING_LENGTH_BYTES);
        ensure(2 + length);
        out.putShort((short) length).put(bytes, 0, length);
        return this;
    }

    BodyWriter uuid(UUID uuid) {
        return i64(uuid.getMostSignificantBits()).i64(uuid.getLeastSignificantBits());
    }

    BodyWriter u8(int value) {
        ensure(1);
        out.put((byte) value);
        return this;
    }

    BodyWriter i32(int value) {
        ensure(4);
        out.putInt(value);
        return this;
    }

    BodyWriter i64(long value) {
        ensure(8);
        out.putLong(value);
        return this;
    }

    private void ensure(int bytes) {
        if (out.remaining() < bytes) {
            ByteBuffer larger = ByteBuffer.allocate(Math.max(out.capacity() * 2, out.position() + bytes));
            out = larger.put(out.flip());
        }
    }
}
