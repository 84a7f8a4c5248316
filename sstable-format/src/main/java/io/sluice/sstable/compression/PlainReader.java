package io.sluice.sstable.compression;

import io.sluice.sstable.encoding.ComponentInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A plain Data.db, unchecked. */
record PlainReader(Path file, FileChannel channel, long lengthBytes) implements DataReader {
    private static final int LONGEST_PIECE_BYTES = 1 << 30;

    static PlainReader open(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        return new PlainReader(file, channel, channel.size());
    }

    /** Arbitrary: nothing is checked or kept. */
    @Override
    public int pieceLengthBytes() {
        return LONGEST_PIECE_BYTES;
    }

    @Override
    public void read(long position, ByteBuffer into) throws IOException {
        ComponentInput.readFully(file, channel, position, into);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
