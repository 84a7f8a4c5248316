package io.sluice.sstable.compression;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Writes CompressionInfo.db while Data.db is written: positions in order, finally the two numbers before them that are
 * known last. Not thread-safe: confined to its writer, which closes it.
 */
public final class CompressionInfoWriter implements Closeable {
    private static final int LAST_NUMBERS_BYTES = Long.BYTES + Integer.BYTES;

    private final ComponentOutput out;
    private final CompressionParameters parameters;
    private final long lastNumbersOffset;
    private int chunkCount;

    private CompressionInfoWriter(ComponentOutput out, CompressionParameters parameters, long lastNumbersOffset) {
        this.out = out;
        this.parameters = parameters;
        this.lastNumbersOffset = lastNumbersOffset;
    }

    /** Begins the content of {@code out}, an empty file, which is closed with the result. */
    public static CompressionInfoWriter to(ComponentOutput out, CompressionParameters parameters, Version version)
            throws IOException {
        var head = new GrowingBuffer();
        head.putUtf(parameters.compressor().className())
                .putInt(parameters.options().size());
        parameters.options().forEach((name, value) -> head.putUtf(name).putUtf(value));
        head.putInt(parameters.chunkLengthBytes());
        if (version.hasMaxCompressedLength()) {
            head.putInt(parameters.maxCompressedLengthBytes());
        }
        int lastNumbersOffset = head.length();
        head.putLong(0).putInt(0);
        out.put(head.written());
        return new CompressionInfoWriter(out, parameters, lastNumbersOffset);
    }

    /** Adds the position of the next chunk in Data.db. */
    public void add(long position) throws IOException {
        out.putLong(position);
        chunkCount = Math.incrementExact(chunkCount);
    }

    /** Completes the file: the chunks hold {@code dataLengthBytes}, uncompressed. Call once, last. */
    public CompressionInfo finish(long dataLengthBytes) throws IOException {
        var info = new CompressionInfo(parameters, dataLengthBytes, chunkCount);
        ByteBuffer lastNumbers = ByteBuffer.allocate(LAST_NUMBERS_BYTES)
                .putLong(dataLengthBytes)
                .putInt(chunkCount)
                .flip();
        out.overwrite(lastNumbersOffset, lastNumbers);
        out.finish();
        return info;
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
