package io.sluice.sstable.encoding;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A file that is open for writing, of some {@link OutputFiles}. Thread-safe for different parts of the file. */
public interface OutputFile extends Closeable {
    /** Writes some of {@code bytes} at {@code position}; returns how many. */
    int write(ByteBuffer bytes, long position) throws IOException;

    /** Writes all of {@code bytes} at {@code position}. */
    default void writeFully(ByteBuffer bytes, long position) throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
            int written = write(bytes, at);
            if (written <= 0) {
                throw new IOException("the disk accepts no more bytes, without an error");
            }
            at += written;
        }
    }
}
