package io.sluice.bench.compare;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;

/** Counts what goes through another channel, both ways. Not thread-safe. */
final class CountingChannel implements ByteChannel {
    private final ByteChannel channel;
    private long bytes;

    CountingChannel(ByteChannel channel) {
        this.channel = channel;
    }

    long bytes() {
        return bytes;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        int count = channel.read(into);
        bytes += Math.max(0, count);
        return count;
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        int count = channel.write(from);
        bytes += count;
        return count;
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
