package io.sluice.streaming.transfer.block;

import io.sluice.streaming.message.Extent;
import io.sluice.streaming.throttle.CombinedThrottle;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;

/**
 * Receives the data of one connection. Called by one thread at a time, which may block on memory, a slot for an open
 * file, or the disk.
 */
public interface DataReceiver {
    /**
     * Returns a buffer with arbitrary content; waits until one is available.
     *
     * @throws InterruptedIOException if the session ends first, or the thread is interrupted
     */
    ByteBuffer takeBuffer() throws InterruptedIOException;

    /** Releases a buffer; the caller must not use it any more. */
    void releaseBuffer(ByteBuffer buffer);

    /** The throttles for reads from the connection. */
    CombinedThrottle limits();

    /** The share of its time that the connection's thread may spend on received bytes, 1 to 100 %. */
    int dutyPercent();

    /** The peer has welcomed the connection. */
    void opened();

    /**
     * Opens the file of an extent; the caller closes the result after the last byte, or when no more will arrive.
     *
     * @throws IOException if the file cannot be created or opened, or the session is over
     */
    Landing begin(Extent extent) throws IOException;

    /** A file, open for the bytes of one extent. */
    interface Landing extends AutoCloseable {
        /**
         * Writes all of {@code bytes} at {@code position} of the file.
         *
         * @throws IOException with the name of the file, if the disk fails
         */
        void write(ByteBuffer bytes, long position) throws IOException;

        /** Ends the writing of this extent. */
        @Override
        void close();
    }

    /** All bytes of an extent are written to its file; {@code crc32} is their checksum. */
    void received(Extent extent, long crc32);

    /** The connection was not closed by this end, and is over. */
    void lost(String reason);

    /** Received bytes could not be stored, or another connection would not help. */
    void failed(Throwable cause);
}
