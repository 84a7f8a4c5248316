package io.sluice.sstable.compression;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.encoding.NewComponents;
import io.sluice.sstable.metadata.Stats;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/** Stores chunks as they are and writes CRC.db. */
record ChecksumSink(ComponentOutput crcs) implements ChunkSink {
    private static final int CHUNK_LENGTH_BYTES = 1 << 16;

    static ChecksumSink create(NewComponents files) throws IOException {
        var sink = new ChecksumSink(files.create(Component.CRC));
        sink.crcs.putInt(CHUNK_LENGTH_BYTES);
        return sink;
    }

    @Override
    public int chunkLengthBytes() {
        return CHUNK_LENGTH_BYTES;
    }

    @Override
    public ByteBuffer store(byte[] chunk, int length, long position) throws IOException {
        var crc = new CRC32();
        crc.update(chunk, 0, length);
        crcs.putInt((int) crc.getValue());
        return ByteBuffer.wrap(chunk, 0, length);
    }

    @Override
    public void place(long position) {
        throw new IllegalStateException("a stored chunk for a plain Data.db (expected: plain bytes)");
    }

    @Override
    public void link(int crc32) throws IOException {
        crcs.putInt(crc32);
    }

    @Override
    public void finish(long dataLength) throws IOException {
        crcs.finish();
    }

    @Override
    public double ratio(long storedLength, long dataLength) {
        return Stats.NOT_COMPRESSED;
    }

    @Override
    public void close() throws IOException {
        crcs.close();
    }
}
