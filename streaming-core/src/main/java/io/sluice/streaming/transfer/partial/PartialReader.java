package io.sluice.streaming.transfer.partial;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.compression.ArrivingChunks;
import io.sluice.sstable.data.ForeignRows;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.OutputFiles;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.transfer.channel.ChannelInput;
import java.io.IOException;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32;

/**
 * Receives a part of an SSTable: checks each chunk, decodes it row by row, and writes a new SSTable. Keeps one chunk
 * and one row in memory. Not thread-safe: confined to one transfer.
 */
public final class PartialReader {
    private static final Path NAME = Path.of("stream");

    private final ChannelInput in;
    private final TokenRanges wanted;

    /**
     * Creates a reader of {@code in}.
     *
     * @param wanted the requested ranges: a partition outside fails the transfer
     */
    public PartialReader(ChannelInput in, TokenRanges wanted) {
        this.in = in;
        this.wanted = wanted;
    }

    /** Creates a reader of a channel that carries only this part. */
    public PartialReader(ReadableByteChannel channel, TokenRanges wanted) {
        this(new ChannelInput(channel), wanted);
    }

    /**
     * Receives one part.
     *
     * @param files performs all writes, name changes and syncs of the SSTable
     * @param directory exists, without an SSTable of that descriptor
     * @param descriptor of a writable version
     * @param options derives the options of the new SSTable from those of the source
     * @return the SSTable, durable and visible; empty if the part had only partitions without content
     * @throws StreamException of code {@link ErrorCode#PROTOCOL} if the peer sent something else,
     *     {@link ErrorCode#CORRUPT_IN_FLIGHT} if a chunk or a row is corrupt, {@link ErrorCode#OUT_OF_RANGE} if a
     *     partition was not requested, {@link ErrorCode#PEER_LOST} if the stream ended too early; then nothing is left
     * @throws IOException if the channel or the disk fails
     */
    public Optional<SSTable> receive(
            OutputFiles files, Path directory, Descriptor descriptor, UnaryOperator<WriterOptions> options)
            throws IOException {
        PartialHeader header = readHeader();
        var data = ArrivingChunks.read(NAME, header.shape(), new BatchSource(in, header));
        try (var reader = new PartitionReader(data, header.version(), header.header(), header.sections());
                var writer = SSTableWriter.create(
                        files, directory, descriptor, header.header(), options.apply(header.options()))) {
            writer.appendAll(new RangeFilter(ForeignRows.of(reader, header.header()), wanted));
            return writer.isEmpty() ? Optional.empty() : Optional.of(writer.finish());
        } catch (SSTableException damaged) {
            throw new StreamException(
                    ErrorCode.CORRUPT_IN_FLIGHT, damaged.getMessage() + "; the received part was removed", damaged);
        } catch (IllegalArgumentException notToBeWritten) {
            throw new StreamException(
                    ErrorCode.PROTOCOL,
                    "rows that cannot be written to an SSTable: " + notToBeWritten.getMessage(),
                    notToBeWritten);
        }
    }

    private PartialHeader readHeader() throws IOException {
        int magic = in.readInt();
        if (magic != PartialWriter.MAGIC) {
            throw in.refused("magic " + Integer.toHexString(magic) + " (expected: "
                    + Integer.toHexString(PartialWriter.MAGIC) + ", a part of an SSTable)");
        }
        int length = in.readInt("length of the header", 1, PartialWriter.MAX_HEADER_BYTES);
        byte[] body = in.readBytes(length);
        var crc = new CRC32();
        crc.update(body);
        int expected = in.readInt();
        if ((int) crc.getValue() != expected) {
            throw in.refused("CRC-32 of the header: " + Integer.toHexString((int) crc.getValue()) + " (expected: "
                    + Integer.toHexString(expected) + ")");
        }
        return PartialHeader.decode(Bytes.wrap(body));
    }
}
