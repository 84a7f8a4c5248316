package io.sluice.cassandra.wire;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.TokenRange;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Encodes messages; the package documentation describes their bytes. Stateless. */
public final class MessageWriter {
    private MessageWriter() {}

    /** The bytes of {@code message}; those of a file follow them. */
    public static Bytes encode(StreamMessage message) {
        var out = new GrowingBuffer();
        out.putByte(MessageType.of(message).number());
        if (message instanceof StreamMessage.StreamInit m) {
            streamInit(m, out);
        } else if (message instanceof StreamMessage.PrepareSyn m) {
            out.putInt(m.requests().size());
            m.requests().forEach(request -> request(request, out));
            summaries(m.summaries(), out);
        } else if (message instanceof StreamMessage.PrepareSynAck m) {
            summaries(m.summaries(), out);
        } else if (message instanceof StreamMessage.Received m) {
            WireOutput.putUuid(m.tableId(), out);
            out.putInt(m.sequence());
        } else if (message instanceof FileHeader m) {
            fileHeader(m, out);
        }
        return out.toBytes();
    }

    private static void streamInit(StreamMessage.StreamInit init, GrowingBuffer out) {
        WireOutput.putAddress(init.from(), out);
        out.putInt(init.sessionIndex());
        WireOutput.putUuid(init.planId(), out);
        out.putUtf(init.operation());
        optionalUuid(init.pendingRepair(), out);
        out.putInt(init.previewKind());
    }

    private static void request(StreamMessage.RangeRequest request, GrowingBuffer out) {
        out.putUtf(request.keyspace()).putInt(request.tables().size());
        WireOutput.putAddress(request.endpoint(), out);
        out.putInt(request.ranges().ranges().size());
        for (TokenRange range : request.ranges().ranges()) {
            WireOutput.putToken(range.start(), out);
            WireOutput.putToken(range.end(), out);
        }
        out.putInt(0); // transient ranges
        request.tables().forEach(out::putUtf);
    }

    private static void summaries(List<StreamMessage.Summary> summaries, GrowingBuffer out) {
        out.putInt(summaries.size());
        for (StreamMessage.Summary summary : summaries) {
            WireOutput.putUuid(summary.tableId(), out);
            out.putInt(summary.files()).putLong(summary.lengthBytes());
        }
    }

    private static void fileHeader(FileHeader header, GrowingBuffer out) {
        FileHeader.Route route = header.route();
        WireOutput.putUuid(route.tableId(), out);
        WireOutput.putAddress(route.sender(), out);
        WireOutput.putUuid(route.planId(), out);
        WireOutput.putBoolean(route.sentByFollower(), out);
        out.putInt(route.sessionIndex()).putInt(route.sequence()).putLong(route.repairedAtMillis());
        optionalUuid(route.pendingRepair(), out);
        out.putUtf(header.version()).putUtf(header.format()).putLong(header.estimatedKeys());
        out.putInt(header.sections().size());
        for (Section section : header.sections()) {
            out.putLong(section.start()).putLong(section.end());
        }
        header.compression().ifPresentOrElse(compression -> compression(compression, out), () -> out.putInt(-1));
        out.putInt(header.level()).put(header.serializationHeader());
        WireOutput.putUuid(route.tableId(), out);
        WireOutput.putBoolean(header.whole().isPresent(), out);
        header.whole().ifPresent(whole -> whole(whole, out));
    }

    private static void compression(PartCompression compression, GrowingBuffer out) {
        out.putInt(compression.chunkCount());
        compression.forEach((offset, lengthBytes) -> out.putLong(offset).putInt(lengthBytes));
        var parameters = compression.parameters();
        out.putUtf(parameters.compressor().className())
                .putInt(parameters.options().size());
        parameters.options().forEach((option, value) -> out.putUtf(option).putUtf(value));
        out.putInt(parameters.chunkLengthBytes()).putInt(parameters.maxCompressedLengthBytes());
    }

    private static void whole(FileHeader.Whole whole, GrowingBuffer out) {
        out.putUnsignedVInt(whole.manifest().size());
        whole.manifest().forEach(entry -> out.putUtf(entry.component()).putUnsignedVInt(entry.lengthBytes()));
        out.putVIntBytes(whole.firstKey());
    }

    private static void optionalUuid(Optional<UUID> uuid, GrowingBuffer out) {
        WireOutput.putBoolean(uuid.isPresent(), out);
        uuid.ifPresent(id -> WireOutput.putUuid(id, out));
    }
}
