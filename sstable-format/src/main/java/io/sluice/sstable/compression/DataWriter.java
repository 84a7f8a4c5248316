package io.sluice.sstable.compression;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.metadata.Digest;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.zip.CRC32;

/**
 * Writes Data.db from start to end, and beside it Digest.crc32 and CRC.db or CompressionInfo.db. Not thread-safe:
 * confined to its writer, who closes it. Closed without {@link #finish()} it leaves incomplete files behind.
 */
public final class DataWriter implements Closeable {
    private final Path digestFile;
    private final ComponentOutput data;
    private final ChunkSink sink;
    private final CRC32 digest = new CRC32();
    private final byte[] chunk;
    private int filled;
    private long position;

    private DataWriter(Path digestFile, ComponentOutput data, ChunkSink sink) {
        this.digestFile = digestFile;
        this.data = data;
        this.sink = sink;
        this.chunk = new byte[sink.chunkLengthBytes()];
    }

    /**
     * What a writer left on disk.
     *
     * @param dataLengthBytes uncompressed
     * @param storedLengthBytes length of Data.db
     * @param digest of Data.db
     * @param compressionRatio stored to uncompressed, or -1 if not compressed: for the statistics
     */
    public record Written(long dataLengthBytes, long storedLengthBytes, Digest digest, double compressionRatio) {}

    /** Writes an uncompressed Data.db with CRC.db; {@code files} names the files, of which none may exist. */
    public static DataWriter plain(Function<Component, Path> files) throws IOException {
        return open(files, () -> ChecksumSink.create(files.apply(Component.CRC)));
    }

    /** Writes a compressed Data.db with CompressionInfo.db; {@code files} names the files, of which none may exist. */
    public static DataWriter compressed(Function<Component, Path> files, CompressionParameters parameters)
            throws IOException {
        return open(files, () -> CompressingSink.create(files.apply(Component.COMPRESSION_INFO), parameters));
    }

    private interface Opener {
        ChunkSink open() throws IOException;
    }

    private static DataWriter open(Function<Component, Path> files, Opener opener) throws IOException {
        ComponentOutput data = ComponentOutput.create(files.apply(Component.DATA));
        try {
            return new DataWriter(files.apply(Component.DIGEST), data, opener.open());
        } catch (IOException | RuntimeException failed) {
            data.close();
            throw failed;
        }
    }

    /** Uncompressed bytes written so far: where the next partition begins. */
    public long position() {
        return position;
    }

    /** Appends what {@code bytes} holds from its position to its limit. */
    public void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            int count = Math.min(bytes.remaining(), chunk.length - filled);
            bytes.get(chunk, filled, count);
            filled += count;
            position += count;
            if (filled == chunk.length) {
                flushChunk();
            }
        }
    }

    /**
     * Appends a chunk as another Data.db of the same parameters stores it, with its CRC, which is not checked.
     *
     * @param plainLengthBytes how many of its uncompressed bytes count; fewer than a chunk has only in the last one
     * @throws IllegalStateException if this is not compressed, or not between two chunks
     */
    public void writeStored(ByteBuffer stored, int plainLengthBytes) throws IOException {
        if (filled != 0 || position % chunk.length != 0) {
            throw new IllegalStateException(
                    "stored chunk at position " + position + " (expected: at a multiple of " + chunk.length + ")");
        }
        sink.place(data.position());
        digest.update(stored.duplicate());
        data.put(stored);
        position += plainLengthBytes;
    }

    /** Writes what is pending and the files beside Data.db, and syncs them all. Call once, last. */
    public Written finish() throws IOException {
        if (filled > 0) {
            flushChunk();
        }
        data.finish();
        sink.finish(position);
        var result = new Digest(digest.getValue());
        result.write(digestFile);
        return new Written(position, data.position(), result, sink.ratio(data.position(), position));
    }

    @Override
    public void close() throws IOException {
        try (data) {
            sink.close();
        }
    }

    private void flushChunk() throws IOException {
        ByteBuffer stored = sink.store(chunk, filled, data.position());
        digest.update(stored.duplicate());
        data.put(stored);
        filled = 0;
    }
}
