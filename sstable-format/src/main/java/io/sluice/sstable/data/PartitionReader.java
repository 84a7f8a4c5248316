package io.sluice.sstable.data;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.PartitionKey;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the partitions of one Data.db in sections of it. Holds one row at a time. Not thread-safe: confined to one
 * reader.
 */
public final class PartitionReader implements PartitionSource {
    private static final long MAX_ROW_BYTES = 1L << 30;
    private static final int WINDOW_BYTES = 1 << 16;
    private static final long PIECE_BYTES = 1L << 20;

    private final DataReader data;
    private final ComponentInput in;
    private final SerializationHeader header;
    private final RowDecoder decoder;
    private final ClusteringCodec clusterings;
    private final Iterator<Section> sections;
    private @Nullable Content current;
    private @Nullable PartitionHeader previous;
    private long sectionEnd;
    private long itemPosition;

    /**
     * Reads {@code sections}, ascending, of {@code data}, which is closed with this.
     *
     * @param version and header of the SSTable that the data belongs to
     */
    public PartitionReader(DataReader data, Version version, SerializationHeader header, List<Section> sections) {
        this.data = data;
        this.in = ComponentInput.over(data.file(), data, data.lengthBytes(), WINDOW_BYTES);
        this.header = header;
        this.decoder = new RowDecoder(version, header);
        this.clusterings = new ClusteringCodec(header.clusteringTypes());
        this.sections = sections.iterator();
    }

    /** Reads all of {@code sstable}. */
    public static PartitionReader open(SSTable sstable) throws IOException {
        return open(sstable, TokenRanges.FULL);
    }

    /** Reads the partitions of {@code sstable} in {@code ranges}. */
    public static PartitionReader open(SSTable sstable, TokenRanges ranges) throws IOException {
        SerializationHeader header =
                SerializationHeader.parse(sstable.statistics().header());
        List<Section> sections = sstable.sections(ranges);
        return new PartitionReader(sstable.openData(), sstable.descriptor().version(), header, sections);
    }

    /** Columns and types of what is read. */
    public SerializationHeader header() {
        return header;
    }

    @Override
    public Optional<Partition> next() throws IOException {
        if (current != null) {
            current.skip();
        }
        if (in.position() > sectionEnd) {
            throw in.malformed("partition ends here (expected: at " + sectionEnd + ")");
        }
        while (in.position() == sectionEnd) {
            if (!sections.hasNext()) {
                return Optional.empty();
            }
            Section section = sections.next();
            in.seek(section.start());
            sectionEnd = section.end();
        }
        itemPosition = in.position();
        PartitionHeader read = readHeader();
        if (previous != null && previous.compareTo(read) >= 0) {
            throw in.malformed("partition " + read.key() + " after " + previous.key() + " (expected: ascending)");
        }
        previous = read;
        current = new Content(read);
        return Optional.of(current);
    }

    /** The uncompressed position of the partition or item that was read last. */
    public long itemPosition() {
        return itemPosition;
    }

    @Override
    public void close() throws IOException {
        data.close();
    }

    private PartitionHeader readHeader() throws IOException {
        PartitionKey key = PartitionKey.of(in.readShortBytes());
        DeletionTime deletion = decoder.times().readFullDeletion(in);
        Row statics = header.staticColumns().isEmpty() ? Row.NO_STATICS : readStaticRow();
        return new PartitionHeader(key, deletion, statics);
    }

    private Row readStaticRow() throws IOException {
        int flags = in.readByte() & 0xff;
        int extended = (flags & RowFlags.EXTENDED) != 0 ? in.readByte() : 0;
        if ((extended & RowFlags.IS_STATIC) == 0 || (flags & (RowFlags.END | RowFlags.MARKER)) != 0) {
            throw in.malformed("flags " + flags + ", " + extended + " (expected: those of a static row)");
        }
        return readRow(ClusteringPrefix.STATIC, flags, extended);
    }

    private Optional<Unfiltered> readItem() throws IOException {
        itemPosition = in.position();
        int flags = in.readByte() & 0xff;
        if ((flags & RowFlags.END) != 0) {
            return Optional.empty();
        }
        if ((flags & RowFlags.MARKER) != 0) {
            ClusteringPrefix bound = clusterings.readBound(in);
            return Optional.of(decode(body -> decoder.marker(bound, body)));
        }
        int extended = (flags & RowFlags.EXTENDED) != 0 ? in.readByte() : 0;
        if ((extended & RowFlags.IS_STATIC) != 0) {
            throw in.malformed("static row among the rows (expected: only as the first)");
        }
        return Optional.of(readRow(clusterings.readRow(in), flags, extended));
    }

    private Row readRow(ClusteringPrefix clustering, int flags, int extended) throws IOException {
        boolean isShadowable = (extended & RowFlags.IS_SHADOWABLE) != 0;
        return decode(body -> decoder.row(clustering, flags, isShadowable, body));
    }

    @FunctionalInterface
    private interface BodyDecoder<T> {
        T decode(ByteBuffer body) throws MalformedException;
    }

    private <T> T decode(BodyDecoder<T> bodyDecoder) throws IOException {
        long length = in.readUnsignedVInt();
        long start = in.position();
        in.readUnsignedVInt(); // the distance to the previous item, for readers that go backwards
        long offset = in.position();
        ByteBuffer body = readBody(length - (offset - start));
        try {
            T decoded = bodyDecoder.decode(body);
            if (body.hasRemaining()) {
                throw new MalformedException(body.remaining() + " bytes left of " + body.limit() + " (expected: none)");
            }
            return decoded;
        } catch (BufferUnderflowException truncated) {
            throw in.malformedAt(offset, "item ends within its " + body.limit() + " bytes (expected: more)", truncated);
        } catch (MalformedException malformed) {
            throw in.malformedAt(offset, String.valueOf(malformed.getMessage()), malformed);
        }
    }

    /** Reads in pieces, so that memory grows with what is there and not with what a length announces. */
    private ByteBuffer readBody(long length) throws IOException {
        in.require("length of a row", length, 0, Math.min(sectionEnd - in.position(), MAX_ROW_BYTES));
        ByteBuffer body = in.readBuffer(Math.min(length, PIECE_BYTES));
        while (body.limit() < length) {
            ByteBuffer piece = in.readBuffer(Math.min(length - body.limit(), body.limit()));
            body = ByteBuffer.allocate(body.limit() + piece.limit())
                    .put(body)
                    .put(piece)
                    .flip();
        }
        return body;
    }

    private final class Content implements Partition {
        private final PartitionHeader partitionHeader;
        private boolean isAtEnd;

        Content(PartitionHeader partitionHeader) {
            this.partitionHeader = partitionHeader;
        }

        @Override
        public PartitionHeader header() {
            return partitionHeader;
        }

        @Override
        public Optional<Unfiltered> next() throws IOException {
            if (isAtEnd) {
                return Optional.empty();
            }
            Optional<Unfiltered> item = readItem();
            isAtEnd = item.isEmpty();
            return item;
        }

        /** Reads to the end: the length of a partition is written nowhere. */
        void skip() throws IOException {
            while (!isAtEnd) {
                next();
            }
        }
    }
}
