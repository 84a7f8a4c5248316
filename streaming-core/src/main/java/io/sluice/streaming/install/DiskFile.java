package io.sluice.streaming.install;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** An open file of a {@link Disk}. Thread-safe for different parts of the file. */
public interface DiskFile extends Closeable {
    /** Writes some of {@code bytes} at {@code position}; how many. */
    int write(ByteBuffer bytes, long position) throws IOException;

    /** Writes all of {@code bytes} at {@code position}. */
    default void writeFully(ByteBuffer bytes, long position) throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
            int written = write(bytes, at);
            if (written <= 0) {
                throw new IOException("the disk takes no more bytes, and says no reason");
            }
            at += written;
        }
    }

    /** Makes durable what was written until now; more may be written meanwhile. */
    void sync() throws IOException;

    /** Length, in bytes. */
    long size() throws IOException;
}
