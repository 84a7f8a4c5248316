package io.sluice.sstable.encoding;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Bytes that can be read at any position: a file, or the uncompressed content of one. */
@FunctionalInterface
public interface ByteSource {
    /**
     * Fills {@code into} to its limit with the bytes from {@code position} on.
     *
     * @throws IOException if there are fewer bytes, or they cannot be read
     */
    void read(long position, ByteBuffer into) throws IOException;
}
