package io.sluice.streaming.transfer.partial;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.compression.ArrivingChunks;
import io.sluice.sstable.compression.CompressionInfo;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.transfer.channel.ChannelOutput;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * Sends the part of an SSTable that lies in some token ranges: the chunks of Data.db that hold it, as they are stored,
 * by sendfile where the channel is a socket. The receiver checks them. Memory does not depend on the size. Immutable;
 * the SSTable must not change while it sends.
 */
public final class PartialWriter {
    static final int MAGIC = 0x534c5032;
    static final int MAX_HEADER_BYTES = 16 << 20;
    static final int MAX_BATCH_CHUNKS = 4096;

    private final SSTable sstable;
    private final PartialHeader header;

    private PartialWriter(SSTable sstable, PartialHeader header) {
        this.sstable = sstable;
        this.header = header;
    }

    /**
     * Finds the part by the index.
     *
     * @return empty if no partition lies in the ranges
     * @throws io.sluice.sstable.component.SSTableException if the index, the statistics or the checksums are malformed
     */
    public static Optional<PartialWriter> of(SSTable sstable, TokenRanges ranges) throws IOException {
        List<Section> sections = sstable.sections(ranges);
        if (sections.isEmpty()) {
            return Optional.empty();
        }
        SerializationHeader rows =
                SerializationHeader.parse(sstable.statistics().header());
        try (WireChunks chunks = WireChunks.open(sstable)) {
            var shape = new ArrivingChunks.Shape(
                    sstable.compression().map(CompressionInfo::parameters),
                    chunks.chunkLengthBytes(),
                    sstable.dataLengthBytes());
            var header = new PartialHeader(
                    sstable.descriptor().version(), rows, shape, WriterOptions.like(sstable), sections);
            return Optional.of(new PartialWriter(sstable, header));
        }
    }

    /** Takes the stream as it is made: bytes of its own, and runs of Data.db. */
    public interface Sink {
        /** Takes all that {@code bytes} holds, and clears it. */
        void own(GrowingBuffer bytes) throws IOException;

        /** Takes a section of the source's Data.db. */
        void stored(long position, long lengthBytes) throws IOException;
    }

    /** Uncompressed bytes of the partitions that are sent. */
    public long dataBytes() {
        return header.sections().stream().mapToLong(Section::lengthBytes).sum();
    }

    /** Sends all of it to {@code channel}, which blocks; returns how many bytes it sent. */
    public long send(WritableByteChannel channel) throws IOException {
        var out = new ChannelOutput(channel);
        try (FileChannel data = FileChannel.open(sstable.path(Component.DATA), StandardOpenOption.READ)) {
            write(new Sink() {
                @Override
                public void own(GrowingBuffer bytes) throws IOException {
                    out.write(bytes);
                }

                @Override
                public void stored(long position, long lengthBytes) throws IOException {
                    out.transfer(data, position, lengthBytes);
                }
            });
        }
        return out.position();
    }

    /** Makes all of it, in order. */
    public void write(Sink out) throws IOException {
        var buffer = new GrowingBuffer();
        writeHeader(buffer);
        out.own(buffer);
        try (WireChunks chunks = WireChunks.open(sstable)) {
            for (ChunkRuns.Run run : ChunkRuns.of(header.sections(), chunks.chunkLengthBytes())) {
                for (long first = run.first(); first < run.end(); first += MAX_BATCH_CHUNKS) {
                    long end = Math.min(run.end(), first + MAX_BATCH_CHUNKS);
                    writeBatchHead(chunks, first, end, buffer);
                    out.own(buffer);
                    long position = chunks.position(first);
                    out.stored(position, chunks.position(end) - position);
                }
            }
        }
    }

    private void writeHeader(GrowingBuffer out) {
        var body = new GrowingBuffer();
        header.encode(body);
        if (body.length() > MAX_HEADER_BYTES) {
            throw new IllegalArgumentException("header of " + body.length() + " bytes for "
                    + header.sections().size() + " sections (expected: at most " + MAX_HEADER_BYTES
                    + "; ask for fewer ranges at a time)");
        }
        var crc = new CRC32();
        crc.update(body.written());
        out.putInt(MAGIC).putInt(body.length()).put(body).putInt((int) crc.getValue());
    }

    private static void writeBatchHead(WireChunks chunks, long first, long end, GrowingBuffer out) throws IOException {
        out.putInt((int) (end - first));
        for (long index = first; index < end; index++) {
            out.putInt(chunks.word(index));
        }
        var crc = new CRC32();
        crc.update(out.written());
        out.putInt((int) crc.getValue());
    }
}
