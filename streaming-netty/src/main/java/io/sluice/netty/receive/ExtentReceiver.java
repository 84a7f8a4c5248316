package io.sluice.netty.receive;

import io.netty.buffer.ByteBuf;
import io.sluice.netty.transport.Connection;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.install.StagedSet;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Takes the extents that one data connection brings from the socket to their files, and takes their checksums while the
 * bytes are hot. Only extents that were fetched on this connection, in that order, are accepted.
 *
 * <p>Confined to the connection's event loop, but for {@link #expect}.
 */
final class ExtentReceiver implements Connection.Listener {
    private final int number;
    private final StagedFiles files;
    private final Sink sink;
    private final Queue<Extent> expected = new ConcurrentLinkedQueue<>();
    private final CRC32 crc = new CRC32();
    private @Nullable FileChannel file;
    private @Nullable Extent current;
    private long position;

    /** Who hears of arrivals and of the end. */
    interface Sink {
        void arrived(int connection, Extent extent, long crc32);

        void lost(String reason);

        void failed(Throwable cause);
    }

    ExtentReceiver(int number, StagedFiles files, Sink sink) {
        this.number = number;
        this.files = files;
        this.sink = sink;
    }

    /** These are about to be fetched on this connection. Thread-safe. */
    void expect(List<Extent> extents) {
        expected.addAll(extents);
    }

    @Override
    public void onMessage(Connection connection, Message message) {
        if (!(message instanceof Message.Stream stream)) {
            connection.fail(new StreamException(
                    ErrorCode.PROTOCOL, message.getClass().getSimpleName() + " on a data connection"));
            return;
        }
        Extent extent = stream.extent();
        if (!extent.equals(expected.poll())) {
            connection.fail(new StreamException(ErrorCode.PROTOCOL, extent + " was not fetched, or not in this order"));
            return;
        }
        try {
            file = files.file(extent);
            current = extent;
            position = extent.offset();
            crc.reset();
        } catch (IOException e) {
            sink.failed(e);
            connection.close();
        }
    }

    @Override
    public void onPayload(Connection connection, ByteBuf bytes) {
        try {
            Extent extent = current;
            FileChannel target = file;
            if (extent == null || target == null) {
                return; // the file could not be opened: the connection is closing
            }
            int length = bytes.readableBytes();
            crc.update(bytes.nioBuffer());
            StagedSet.writeFully(target, bytes.nioBuffer(), position);
            position += length;
            if (position == extent.end()) {
                sink.arrived(number, extent, crc.getValue());
            }
        } catch (IOException e) {
            current = null;
            sink.failed(e);
            connection.close();
        } finally {
            bytes.release();
        }
    }

    @Override
    public void onEnd(Connection connection, String reason) {
        sink.lost("data connection " + number + ": " + reason);
    }
}
