package io.sluice.netty.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.stream.ChunkedInput;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A file region that is read in chunks, as fast as the connection accepts them, because its bytes must be encrypted.
 * The file is open from the first chunk to the last. Confined to the event loop of the connection.
 */
final class EncryptedRegion implements ChunkedInput<ByteBuf> {
    /** Records of 16 KiB; more at once only evicts from the cache what the cipher is about to read. */
    private static final int CHUNK_BYTES = 128 << 10;

    private final Path file;
    private final long end;
    private final long start;
    private long position;
    private @Nullable FileChannel open;

    EncryptedRegion(Path file, long offset, long length) {
        this.file = file;
        this.start = offset;
        this.position = offset;
        this.end = offset + length;
    }

    @Override
    public boolean isEndOfInput() {
        return position == end;
    }

    @Override
    public void close() throws IOException {
        FileChannel channel = open;
        if (channel != null) {
            channel.close();
        }
    }

    @Override
    @SuppressWarnings("deprecation") // the interface still has it
    public ByteBuf readChunk(ChannelHandlerContext context) throws IOException {
        return readChunk(context.alloc());
    }

    @Override
    public ByteBuf readChunk(ByteBufAllocator allocator) throws IOException {
        FileChannel channel = open;
        if (channel == null) {
            channel = FileChannel.open(file, StandardOpenOption.READ);
            open = channel;
        }
        int wanted = (int) Math.min(CHUNK_BYTES, end - position);
        ByteBuf chunk = allocator.directBuffer(wanted);
        try {
            while (chunk.readableBytes() < wanted) {
                int count = chunk.writeBytes(channel, position, wanted - chunk.readableBytes());
                if (count < 0) {
                    throw new EOFException("end of file at " + position + " (expected: " + (end - position)
                            + " bytes more; the file was truncated after it was pinned)");
                }
                position += count;
            }
            return chunk;
        } catch (IOException | RuntimeException e) {
            chunk.release();
            throw e;
        }
    }

    @Override
    public long length() {
        return end - start;
    }

    @Override
    public long progress() {
        return position - start;
    }
}
