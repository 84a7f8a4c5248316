package io.sluice.sstable.compression;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/** A reader that says how far it is. Not thread-safe, as the reader that it takes over. */
record WatchedReader(DataReader reader, LongConsumer reached) implements DataReader {
    @Override
    public Path file() {
        return reader.file();
    }

    @Override
    public long lengthBytes() {
        return reader.lengthBytes();
    }

    @Override
    public int pieceLengthBytes() {
        return reader.pieceLengthBytes();
    }

    @Override
    public void read(long position, ByteBuffer into) throws IOException {
        int lengthBytes = into.remaining();
        reader.read(position, into);
        reached.accept(position + lengthBytes);
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
