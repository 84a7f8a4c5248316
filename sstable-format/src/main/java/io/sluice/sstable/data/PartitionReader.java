package io.sluice.sstable.data;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.token.Murmur3;
import io.sluice.sstable.token.Token;
import java.io.Closeable;
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
    /** A stretch of uncompressed positions that begins and ends between partitions. */
    record Section(long start, long end) {}

    private final Cursor cursor;
    private final SerializationHeader header;
    private final RowDecoder decoder;
    private final ClusteringCodec clusterings;
    private final Iterator<Section> sections;
    private final Closeable resource;
    private @Nullable Content current;
    private @Nullable PartitionHeader previous;
    private long itemPosition;

    PartitionReader(
            Cursor cursor, RowDecoder decoder, SerializationHeader header, List<Section> sections, Closeable resource) {
        this.cursor = cursor;
        this.header = header;
        this.decoder = decoder;
        this.clusterings = new ClusteringCodec(header.clusteringTypes());
        this.sections = sections.iterator();
        this.resource = resource;
        cursor.seek(0, 0);
    }

    @Override
    public Optional<Partition> next() throws IOException {
        if (current != null) {
            current.skip();
        }
        while (cursor.isAtEnd()) {
            if (!sections.hasNext()) {
                return Optional.empty();
            }
            Section section = sections.next();
            cursor.seek(section.start(), section.end());
        }
        itemPosition = cursor.position();
        PartitionHeader read = readHeader();
        if (previous != null && previous.compareTo(read) >= 0) {
            throw cursor.malformed("partition " + read.key() + " with token " + read.token() + " after "
                    + previous.key() + " with token " + previous.token()
                    + " (expected: ascending by token, then by key)");
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
        resource.close();
    }

    private PartitionHeader readHeader() throws IOException {
        Bytes key = cursor.readBytes(cursor.readUnsignedShort());
        Token token = Murmur3.tokenOf(key.toArray());
        long at = cursor.position();
        ByteBuffer deletion = cursor.readBuffer(decoder.times().lengthOfFullDeletion(cursor.peek()));
        try {
            DeletionTime deleted = decoder.times().readFullDeletion(deletion);
            Row statics = header.staticColumns().isEmpty() ? Row.NO_STATICS : readStaticRow();
            return new PartitionHeader(key, token, deleted, statics);
        } catch (MalformedException malformed) {
            throw cursor.malformed(at, String.valueOf(malformed.getMessage()), malformed);
        }
    }

    private Row readStaticRow() throws IOException {
        int flags = cursor.readByte() & 0xff;
        int extended = (flags & RowFlags.EXTENDED) != 0 ? cursor.readByte() : 0;
        if ((extended & RowFlags.IS_STATIC) == 0 || (flags & (RowFlags.END | RowFlags.MARKER)) != 0) {
            throw cursor.malformed("flags " + flags + ", " + extended + " (expected: those of a static row)");
        }
        return readRow(ClusteringPrefix.STATIC, flags, extended);
    }

    private Optional<Unfiltered> readItem() throws IOException {
        itemPosition = cursor.position();
        int flags = cursor.readByte() & 0xff;
        if ((flags & RowFlags.END) != 0) {
            return Optional.empty();
        }
        if ((flags & RowFlags.MARKER) != 0) {
            ClusteringPrefix bound = clusterings.readBound(cursor);
            return Optional.of(decode(body -> decoder.marker(bound, body)));
        }
        int extended = (flags & RowFlags.EXTENDED) != 0 ? cursor.readByte() : 0;
        if ((extended & RowFlags.IS_STATIC) != 0) {
            throw cursor.malformed("static row among the rows (expected: only as the first)");
        }
        return Optional.of(readRow(clusterings.readRow(cursor), flags, extended));
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
        long length = cursor.readUnsignedVInt();
        long before = cursor.position();
        cursor.readUnsignedVInt(); // the distance to the previous item, for readers that go backwards
        long at = cursor.position();
        ByteBuffer body = cursor.readBuffer(length - (at - before));
        try {
            T decoded = bodyDecoder.decode(body);
            if (body.hasRemaining()) {
                throw new MalformedException(body.remaining() + " bytes left of " + body.limit() + " (expected: none)");
            }
            return decoded;
        } catch (BufferUnderflowException truncated) {
            throw cursor.malformed(at, "item ends within its " + body.limit() + " bytes (expected: more)", truncated);
        } catch (MalformedException malformed) {
            throw cursor.malformed(at, String.valueOf(malformed.getMessage()), malformed);
        }
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
