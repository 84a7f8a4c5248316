package io.sluice.streaming.transfer.channel;

import io.sluice.sstable.encoding.GrowingBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;

/**
 * Writes to a blocking channel, and counts the bytes. Not thread-safe: confined to its writer; the channel belongs to
 * the caller.
 */
public final class ChannelOutput {
    private final WritableByteChannel channel;
    private long written;

    public ChannelOutput(WritableByteChannel channel) {
        this.channel = channel;
    }

    /** Bytes written so far. */
    public long position() {
        return written;
    }

    /** Writes the content of {@code bytes}, and clears it. */
    public void write(GrowingBuffer bytes) throws IOException {
        ByteBuffer content = bytes.written();
        while (content.hasRemaining()) {
            written += channel.write(content);
        }
        bytes.clear();
    }

    /** Writes the remaining bytes of {@code bytes}. */
    public void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            written += channel.write(bytes);
        }
    }

    /** Writes a part of {@code file}: to a socket by sendfile. */
    public void transfer(FileChannel file, long offset, long lengthBytes) throws IOException {
        long end = offset + lengthBytes;
        for (long at = offset; at < end; ) {
            long count = file.transferTo(at, end - at, channel);
            if (count == 0 && file.size() < end) {
                throw new IOException("the file ends at " + file.size() + " (expected: at least " + end
                        + " bytes; the file was changed while it was being sent)");
            }
            at += count;
            written += count;
        }
    }
}
