package io.sluice.bench.compare;

import io.sluice.bench.mutation.DirectWriter;
import io.sluice.bench.mutation.Encoding;
import io.sluice.bench.mutation.MemtableWriter;
import io.sluice.bench.tablet.TabletWriter;
import io.sluice.netty.transport.SocketBuffers;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.transfer.partial.PartialWriter;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves a table in the modes that decode rows: one connection for each request, one after the other, on a thread of
 * its own. A request is a line of what to do, then ranges.
 */
final class RowSender implements Closeable {
    /** There is only one move. */
    static final UUID SESSION = new UUID(0, 1);

    private static final Logger LOG = LoggerFactory.getLogger(RowSender.class);

    private final List<SSTable> sstables;
    private final List<SSTable> tablet;
    private final ServerSocketChannel server;
    private final Thread thread = new Thread(this::serve, "row-sender");

    private RowSender(List<SSTable> sstables, List<SSTable> tablet, ServerSocketChannel server) {
        this.sstables = sstables;
        this.tablet = tablet;
        this.server = server;
    }

    /** @param tablet the same content in SSTables that lie in the ranges whole */
    static RowSender start(List<SSTable> sstables, List<SSTable> tablet, int port) throws IOException {
        var server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        RowSender sender = new RowSender(sstables, tablet, server);
        sender.thread.start();
        return sender;
    }

    private void serve() {
        while (server.isOpen()) {
            try (SocketChannel socket = server.accept()) {
                socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
                int bytes = SocketBuffers.defaultBytes(); // as nodes have
                if (bytes > 0) {
                    socket.setOption(StandardSocketOptions.SO_SNDBUF, bytes);
                }
                answer(socket);
            } catch (ClosedChannelException closed) {
                LOG.debug("no more requests");
            } catch (IOException | RuntimeException failed) {
                LOG.warn("a request failed", failed); // the receiver sees the end of the connection, and says so
            }
        }
    }

    private void answer(SocketChannel socket) throws IOException {
        // Unbuffered: what follows the request belongs to the mode.
        DataInputStream in = new DataInputStream(socket.socket().getInputStream());
        Mode mode = Mode.valueOf(in.readUTF());
        List<TokenRange> list = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            list.add(TokenRange.of(in.readLong(), in.readLong()));
        }
        TokenRanges ranges = TokenRanges.of(list);
        switch (mode) {
            case PARTIAL -> sendParts(socket, ranges);
            case MEMTABLE ->
                new MemtableWriter(socket, socket, MemtableWriter.DEFAULT_WINDOW)
                        .send(sstables, ranges, Encoding.DELTA);
            case DIRECT -> direct(socket).send(sstables, ranges, Encoding.DELTA);
            case DIRECT_FIXED -> direct(socket).send(sstables, ranges, Encoding.FIXED);
            case TABLET -> tablet(socket, TabletWriter.TUNED_WINDOW);
            case TABLET_STRICT -> tablet(socket, TabletWriter.STRICT_WINDOW);
            case FILES, FILES_SINGLE -> throw new IOException("files do not go this way");
        }
    }

    private static DirectWriter direct(SocketChannel socket) {
        return new DirectWriter(socket, socket, DirectWriter.DEFAULT_WINDOW_BYTES);
    }

    private void tablet(SocketChannel socket, int window) throws IOException {
        new TabletWriter(socket, socket, window).send(SESSION, tablet);
    }

    private void sendParts(SocketChannel socket, TokenRanges ranges) throws IOException {
        for (SSTable sstable : sstables) {
            Optional<PartialWriter> writer = PartialWriter.of(sstable, ranges);
            if (writer.isPresent()) {
                writer.get().send(socket);
            }
        }
        socket.shutdownOutput();
        if (socket.socket().getInputStream().read() < 0) {
            throw new IOException("the receiver left before it had everything");
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
