package io.sluice.streaming.transfer.block;

import io.sluice.streaming.message.Extent;
import io.sluice.streaming.throttle.CombinedThrottle;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;

/**
 * Takes what one data connection brings. Called by one thread at a time, which may wait in it for memory, a place for
 * an open file, or the disk.
 */
public interface DataReceiver {
    /**
     * A buffer of any content, as soon as there is one.
     *
     * @throws InterruptedIOException if the session ends first, or the thread is interrupted
     */
    ByteBuffer takeBuffer() throws InterruptedIOException;

    /** Releases a buffer; the caller forgets it. */
    void releaseBuffer(ByteBuffer buffer);

    /** The limits of the rate at which it may be read. */
    CombinedThrottle limits();

    /** The peer has welcomed the connection. */
    void opened();

    /**
     * The file that an extent lands in; the caller closes it after the last byte, or when no more will arrive.
     *
     * @throws IOException if the file cannot be made or opened, or the session is over
     */
    Landing begin(Extent extent) throws IOException;

    /** A file, open for the bytes of one extent. */
    interface Landing extends AutoCloseable {
        /**
         * Writes all of {@code bytes} at {@code position} of the file.
         *
         * @throws IOException with the name of the file, if the disk does not take them
         */
        void write(ByteBuffer bytes, long position) throws IOException;

        /** Nothing more lands by it. */
        @Override
        void close();
    }

    /** All bytes of an extent lie in its file; {@code crc32} is theirs. */
    void received(Extent extent, long crc32);

    /** The connection is over, and not because it was closed at this end. */
    void lost(String reason);

    /** What arrived could not be kept, or another connection would not help. */
    void failed(Throwable cause);
}
