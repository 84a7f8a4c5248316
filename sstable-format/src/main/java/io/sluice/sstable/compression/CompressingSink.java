package io.sluice.sstable.compression;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.NewComponents;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32;

/** Compresses chunks, each followed by its CRC, and writes CompressionInfo.db. */
final class CompressingSink implements ChunkSink {
    private static final int CRC_BYTES = Integer.BYTES;

    private final CompressionParameters parameters;
    private final ChunkCodec codec;
    private final CompressionInfoWriter info;
    /** Grows to the length of the longest stored chunk. */
    private byte[] stored = new byte[0];

    private CompressingSink(CompressionParameters parameters, ChunkCodec codec, CompressionInfoWriter info) {
        this.parameters = parameters;
        this.codec = codec;
        this.info = info;
    }

    static CompressingSink create(NewComponents files, CompressionParameters wanted, Version version)
            throws IOException {
        CompressionParameters parameters = version.hasMaxCompressedLength()
                ? wanted
                : new CompressionParameters(
                        wanted.compressor(),
                        wanted.options(),
                        wanted.chunkLengthBytes(),
                        CompressionParameters.ALWAYS_COMPRESS);
        ChunkCodec codec = ChunkCodec.of(parameters);
        var info = CompressionInfoWriter.to(files.create(Component.COMPRESSION_INFO), parameters, version);
        return new CompressingSink(parameters, codec, info);
    }

    @Override
    public int chunkLengthBytes() {
        return parameters.chunkLengthBytes();
    }

    @Override
    public ByteBuffer store(byte[] chunk, int length, long position) throws IOException {
        info.add(position);
        int longest = Math.max(codec.maxCompressedLengthBytes(length), length) + CRC_BYTES;
        if (longest > stored.length) {
            stored = new byte[longest];
        }
        int storedLength = codec.compress(chunk, length, stored);
        if (storedLength >= parameters.maxCompressedLengthBytes()) {
            storedLength = storePlain(chunk, length);
        }
        var crc = new CRC32();
        crc.update(stored, 0, storedLength);
        return ByteBuffer.wrap(stored, 0, storedLength + CRC_BYTES).putInt(storedLength, (int) crc.getValue());
    }

    /** Plain chunks are recognized by their length: a short last chunk is padded with zeros. */
    private int storePlain(byte[] chunk, int length) {
        int padded = Math.max(length, parameters.maxCompressedLengthBytes());
        System.arraycopy(chunk, 0, stored, 0, length);
        Arrays.fill(stored, length, padded, (byte) 0);
        return padded;
    }

    @Override
    public void place(long position) throws IOException {
        info.add(position);
    }

    @Override
    public void link(int crc32) {
        throw new IllegalStateException("a plain chunk for a compressed Data.db (expected: a stored chunk)");
    }

    @Override
    public void finish(long dataLength) throws IOException {
        info.finish(dataLength);
    }

    @Override
    public double ratio(long storedLength, long dataLength) {
        return (double) storedLength / dataLength;
    }

    @Override
    public void close() throws IOException {
        info.close();
    }
}
