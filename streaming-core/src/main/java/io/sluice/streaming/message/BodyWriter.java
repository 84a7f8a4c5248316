package io.sluice.streaming.message;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.planner.SSTableSpan;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

/** Writes the body of one message. Not thread-safe: use one for each message. */
final class BodyWriter {
    /** In place of the sign of the last page: another follows, and what is offered may be fetched already. */
    static final int FETCHABLE = 2;

    private ByteBuffer out = ByteBuffer.allocate(256);

    ByteBuffer bytes() {
        return out.flip();
    }

    /** Writes the body and returns the type. */
    static int write(Message message, BodyWriter out) {
        if (message instanceof Message.Hello m) {
            out.string(m.cluster().name())
                    .uuid(m.cluster().id())
                    .string(m.cluster().partitioner())
                    .uuid(m.sender())
                    .uuid(m.target())
                    .u8(m.role().code());
            out.uuid(m.planId()).i32(m.session().index()).i32(m.session().attempt());
            out.i32(m.connectionOrOffer());
            return 1;
        }
        if (message instanceof Message.Welcome m) {
            out.uuid(m.node()).i64(m.features());
            return 2;
        }
        if (message instanceof Message.SpansQuery m) {
            out.i32(m.tables().size());
            m.tables().forEach(table -> out.uuid(table.tableId()).ranges(table.ranges()));
            return 3;
        }
        if (message instanceof Message.Spans m) {
            out.u8(m.last() ? 1 : 0).i32(m.tables().size());
            m.tables().forEach(table -> out.uuid(table.tableId()).spans(table.spans()));
            return 4;
        }
        if (message instanceof Message.StreamInit m) {
            out.i32(m.receiver().bits() << Message.StreamInit.FEATURES_SHIFT | m.operation())
                    .i64(m.roomBytes());
            return 5;
        }
        if (message instanceof Message.PrepareSyn m) {
            out.u8(m.last() ? 1 : 0).i32(m.requests().size());
            m.requests()
                    .forEach(request -> out.uuid(request.tableId())
                            .i64(request.schemaDigest())
                            .ranges(request.ranges()));
            return 6;
        }
        if (message instanceof Message.PrepareSynAck m) {
            int more = m.isFetchable() ? FETCHABLE : 0;
            out.u8(m.last() ? 1 : more).i32(m.offers().size());
            m.offers().forEach(out::offer);
            return 7;
        }
        if (message instanceof Message.PrepareAck) {
            return 8;
        }
        if (message instanceof Message.Fetch m) {
            out.i32(m.extents().size());
            m.extents().forEach(out::extent);
            return 9;
        }
        if (message instanceof Message.Stream m) {
            out.extent(m.extent());
            return 10;
        }
        if (message instanceof Message.Received m) {
            out.i32(m.offer());
            return 11;
        }
        if (message instanceof Message.Installed m) {
            out.uuid(m.tableId());
            return 12;
        }
        if (message instanceof Message.Complete) {
            return 13;
        }
        if (message instanceof Message.SessionFailed m) {
            out.i32(m.code().code()).string(WithoutPaths.text(m.reason()));
            return 14;
        }
        if (message instanceof Message.KeepAlive m) {
            out.doing(m.doing()).i64(m.progress());
            return 15;
        }
        if (message instanceof Message.TableRefused m) {
            out.uuid(m.tableId()).i32(m.code().code()).string(WithoutPaths.text(m.reason()));
            return 16;
        }
        if (message instanceof Message.Released m) {
            out.uuid(m.tableId()).i32(m.code().code()).string(WithoutPaths.text(m.reason()));
            return 17;
        }
        if (message instanceof Message.CheckFile m) {
            out.i32(m.offer()).u8(WireComponent.code(m.component())).i32(m.extentLengthBytes());
            return 18;
        }
        Message.FileSums m = (Message.FileSums) message; // the last of the sealed set
        out.i32(m.offer()).u8(WireComponent.code(m.component())).i32(m.first());
        out.u8(m.last() ? 1 : 0).i32(m.crc32s().size());
        m.crc32s().forEach(out::i32);
        return 19;
    }

    private void offer(SSTableOffer offer) {
        i32(offer.number()).uuid(offer.tableId()).string(offer.source().toString());
        i64(offer.first().value()).i64(offer.last().value());
        u8(offer.choice().mode().code()).string(offer.choice().reason());
        u8(offer.components().size());
        for (ComponentManifest manifest : offer.components()) {
            u8(WireComponent.code(manifest.component()))
                    .i64(manifest.lengthBytes())
                    .i32((int) manifest.crc32());
        }
    }

    private void extent(Extent extent) {
        i32(extent.offer())
                .u8(WireComponent.code(extent.component()))
                .i64(extent.offset())
                .i32(extent.lengthBytes());
    }

    private void spans(List<SSTableSpan> spans) {
        i32(spans.size());
        for (SSTableSpan span : spans) {
            i64(span.first().value()).i64(span.last().value()).i64(span.lengthBytes());
        }
    }

    private BodyWriter ranges(TokenRanges ranges) {
        i32(ranges.ranges().size());
        for (TokenRange range : ranges.ranges()) {
            i64(range.start().value()).i64(range.end().value());
        }
        return this;
    }

    private BodyWriter doing(Message.Doing doing) {
        return string(doing.stage())
                .i32(doing.seconds())
                .i64(doing.verifiedBytes())
                .i64(doing.durableBytes())
                .i32(doing.queued());
    }

    private BodyWriter string(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, BodyReader.MAX_STRING_LENGTH_BYTES);
        ensure(2 + length);
        out.putShort((short) length).put(bytes, 0, length);
        return this;
    }

    private BodyWriter uuid(UUID uuid) {
        return i64(uuid.getMostSignificantBits()).i64(uuid.getLeastSignificantBits());
    }

    private BodyWriter u8(int value) {
        ensure(1);
        out.put((byte) value);
        return this;
    }

    private BodyWriter i32(int value) {
        ensure(4);
        out.putInt(value);
        return this;
    }

    private BodyWriter i64(long value) {
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
