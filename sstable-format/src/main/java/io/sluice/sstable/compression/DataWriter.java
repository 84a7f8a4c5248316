package io.sluice.sstable.compression;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Crc32OfParts;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.encoding.NewComponents;
import io.sluice.sstable.metadata.Digest;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;

/**
 * Writes Data.db from start to end, with Digest.crc32 and CRC.db or CompressionInfo.db. Not thread-safe: confined to
 * its writer, which closes it. If it is closed without {@link #finish()}, the files are incomplete.
 */
public final class DataWriter implements Closeable {
    private static final int FIRST_BUFFER_BYTES = 1 << 16;

    private final NewComponents files;
    private final ComponentOutput data;
    private final ChunkSink sink;
    private final CRC32 digest = new CRC32();
    private final int chunkLength;
    /** Grows to the chunk length as bytes are written, so that an announced length alone allocates nothing. */
    private byte[] chunk;

    private int filled;
    private long position;
    private final List<LinkedBytes> links = new ArrayList<>();
    private boolean isLinking;
    private long linkedBytes;
    private final Crc32OfParts linkedChunk = new Crc32OfParts();
    private final Crc32OfParts linkedChunks = new Crc32OfParts();

    private DataWriter(NewComponents files, ComponentOutput data, ChunkSink sink) {
        this.files = files;
        this.data = data;
        this.sink = sink;
        this.chunkLength = sink.chunkLengthBytes();
        this.chunk = new byte[Math.min(chunkLength, FIRST_BUFFER_BYTES)];
    }

    /**
     * The result of a writer.
     *
     * @param dataLengthBytes uncompressed
     * @param storedLengthBytes length of Data.db, including linked bytes
     * @param links the linked bytes, which were not written, in order
     * @param digest of Data.db
     * @param compressionRatio stored to uncompressed, or -1 if not compressed: for the statistics
     */
    public record Written(
            long dataLengthBytes,
            long storedLengthBytes,
            List<LinkedBytes> links,
            Digest digest,
            double compressionRatio) {}

    /**
     * Bytes of another file, which were not written.
     *
     * @param writtenBefore how many bytes of this Data.db were written before them
     * @param position of the first of them in the other file
     */
    public record LinkedBytes(long writtenBefore, long position, long lengthBytes) {}

    /** Writes an uncompressed Data.db with CRC.db. */
    public static DataWriter plain(NewComponents files) throws IOException {
        return open(files, () -> ChecksumSink.create(files));
    }

    /** Writes a compressed Data.db with CompressionInfo.db; before 4.0 no chunk is stored plain. */
    public static DataWriter compressed(NewComponents files, CompressionParameters parameters, Version version)
            throws IOException {
        return open(files, () -> CompressingSink.create(files, parameters, version));
    }

    private interface Opener {
        ChunkSink open() throws IOException;
    }

    private static DataWriter open(NewComponents files, Opener opener) throws IOException {
        ComponentOutput data = files.create(Component.DATA);
        try {
            return new DataWriter(files, data, opener.open());
        } catch (IOException | RuntimeException failed) {
            data.close();
            throw failed;
        }
    }

    /** Uncompressed bytes written so far: where the next partition begins. */
    public long position() {
        return position;
    }

    /** Appends the remaining bytes of {@code bytes}. */
    public void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (filled == chunk.length) {
                chunk = Arrays.copyOf(chunk, (int) Math.min(chunkLength, 2L * chunk.length));
            }
            int count = Math.min(bytes.remaining(), chunk.length - filled);
            bytes.get(chunk, filled, count);
            filled += count;
            position += count;
            if (filled == chunkLength) {
                flushChunk();
            }
        }
    }

    /**
     * Appends a chunk as another Data.db of the same parameters stores it, with its CRC, which is not checked.
     *
     * @param plainLengthBytes how many of its uncompressed bytes to use; fewer than the chunk length only in the last
     *     chunk
     * @throws IllegalStateException if Data.db is not compressed, or the position is not between two chunks
     */
    public void writeStored(ByteBuffer stored, int plainLengthBytes) throws IOException {
        if (filled != 0 || position % chunkLength != 0) {
            throw new IllegalStateException(
                    "stored chunk at position " + position + " (expected: at a multiple of " + chunkLength + ")");
        }
        sink.place(storedPosition());
        put(stored);
        position += plainLengthBytes;
    }

    /**
     * Begins a link: from now on stored bytes are checked, summed and counted, but not written, because another file
     * has the same bytes from {@code position} on. Only between two chunks.
     */
    public void beginLink(long position) {
        if (filled != 0 || isLinking) {
            throw new IllegalStateException("link after " + filled + " bytes of a chunk (expected: between two chunks,"
                    + " and none that has not ended)");
        }
        isLinking = true;
        links.add(new LinkedBytes(data.position(), position, 0));
    }

    /** Ends a link: from now on stored bytes are written again. Only between two chunks. */
    public void endLink() {
        if (filled != 0) {
            throw new IllegalStateException("end of a link after " + filled + " bytes of a chunk");
        }
        isLinking = false;
    }

    /** How many bytes the current chunk has room for. */
    int leftInChunk() {
        return chunkLength - filled;
    }

    /**
     * Links bytes that are summed already, as a chunk or less of it. Only of a plain Data.db of which everything is
     * linked so.
     *
     * @param lengthBytes at most {@link #leftInChunk()}
     */
    void link(int crc32, int lengthBytes) throws IOException {
        if (!isLinking || position != linkedChunks.lengthBytes() + linkedChunk.lengthBytes()) {
            throw new IllegalStateException("summed bytes at position " + position + " (expected: in a link of all)");
        }
        linkedChunk.append(crc32, lengthBytes);
        filled += lengthBytes;
        position += lengthBytes;
        if (filled == chunkLength) {
            flushLinked();
        }
    }

    private void flushLinked() throws IOException {
        sink.link(linkedChunk.value());
        linkedChunks.append(linkedChunk.value(), filled);
        addToLink(filled);
        linkedChunk.reset();
        filled = 0;
    }

    private void addToLink(int lengthBytes) {
        int last = links.size() - 1;
        LinkedBytes link = links.get(last);
        links.set(last, new LinkedBytes(link.writtenBefore(), link.position(), link.lengthBytes() + lengthBytes));
        linkedBytes += lengthBytes;
    }

    private long storedPosition() {
        return data.position() + linkedBytes;
    }

    private void put(ByteBuffer stored) throws IOException {
        digest.update(stored.duplicate());
        if (isLinking) {
            addToLink(stored.remaining());
        } else {
            data.put(stored);
        }
    }

    /** Writes pending bytes and the other files; syncs nothing. Must be the last call, made once. */
    public Written finish() throws IOException {
        if (linkedChunk.lengthBytes() > 0) {
            flushLinked();
        } else if (filled > 0) {
            flushChunk();
        }
        data.finish();
        sink.finish(position);
        boolean isSummed = linkedChunks.lengthBytes() > 0;
        var result = new Digest(isSummed ? Integer.toUnsignedLong(linkedChunks.value()) : digest.getValue());
        files.write(Component.DIGEST, result.encode());
        return new Written(
                position, storedPosition(), List.copyOf(links), result, sink.ratio(storedPosition(), position));
    }

    @Override
    public void close() throws IOException {
        try (data) {
            sink.close();
        }
    }

    private void flushChunk() throws IOException {
        put(sink.store(chunk, filled, storedPosition()));
        filled = 0;
    }
}
