package io.sluice.sstable.data;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Bytes that can be read at any position: the uncompressed content of Data.db. */
@FunctionalInterface
interface ByteSource {
    /** Fills {@code into} as far as it goes with the bytes from {@code position} on. */
    void read(long position, ByteBuffer into) throws IOException;
}
