package io.sluice.netty.transport;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A file region that is read piece by piece, because its bytes must be encrypted. The file is open from the first piece
 * to the last. Confined to the event loop of the connection, which closes it if it is not read to its end.
 */
final class EncryptedRegion implements Closeable {
    private final Path file;
    private final long end;
    private long position;
    private @Nullable FileChannel open;

    EncryptedRegion(Path file, long offset, long length) {
        this.file = file;
        this.position = offset;
        this.end = offset + length;
    }

    boolean isAtEnd() {
        return position == end;
    }

    /** Reads the next bytes into {@code into}, until it is full or the region ends. */
    void read(ByteBuffer into) throws IOException {
        FileChannel channel = open;
        if (channel == null) {
            channel = FileChannel.open(file, StandardOpenOption.READ);
            open = channel;
        }
        into.limit(into.position() + (int) Math.min(into.remaining(), end - position));
        while (into.hasRemaining()) {
            int count = channel.read(into, position);
            if (count < 0) {
                throw new EOFException("end of file at " + position + " (expected: " + (end - position)
                        + " bytes more; the file was truncated after it was pinned)");
            }
            position += count;
        }
        if (isAtEnd()) {
            channel.close();
        }
    }

    @Override
    public void close() throws IOException {
        FileChannel channel = open;
        if (channel != null) {
            channel.close();
        }
    }
}
