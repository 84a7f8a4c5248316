package io.sluice.harness.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A loopback port that leads to a Unix domain socket, for clients that support TCP only: the way to a node in its own
 * network. The endpoint behind it authenticates. Thread-safe; owns its threads.
 */
final class SocketRelay implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SocketRelay.class);
    private static final int BUFFER_BYTES = 16 << 10;

    /** The limit of the endpoint behind it; each connection takes two threads here. */
    private static final int MOST_CONNECTIONS = 128;

    private final UnixDomainSocketAddress target;
    private final ServerSocketChannel listening;

    @GuardedBy("this")
    private final List<SocketChannel> open = new ArrayList<>();

    private SocketRelay(UnixDomainSocketAddress target, ServerSocketChannel listening) {
        this.target = target;
        this.listening = listening;
    }

    /** Starts to relay connections to {@link #address()}; {@code socket} need not accept connections yet. */
    static SocketRelay start(Path socket) throws IOException {
        ServerSocketChannel listening = ServerSocketChannel.open();
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        SocketRelay relay = new SocketRelay(UnixDomainSocketAddress.of(socket), listening);
        thread(relay::accept, "sluice-relay");
        return relay;
    }

    private static void thread(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** The address to connect to. */
    Address address() throws IOException {
        InetSocketAddress bound = (InetSocketAddress) listening.getLocalAddress();
        return new Address(bound.getAddress().getHostAddress(), bound.getPort());
    }

    private void accept() {
        while (listening.isOpen()) {
            try {
                relay(keep(listening.accept()));
            } catch (IOException e) {
                LOG.debug("the relay of {} takes no connection now: {}", target, e.getMessage());
            }
        }
    }

    private void relay(SocketChannel client) throws IOException {
        try {
            SocketChannel server = keep(SocketChannel.open(target));
            thread(() -> pass(client, server), "sluice-relay-out");
            thread(() -> pass(server, client), "sluice-relay-in");
        } catch (IOException nobodyListens) {
            client.close();
            throw nobodyListens;
        }
    }

    private synchronized SocketChannel keep(SocketChannel channel) throws IOException {
        open.removeIf(known -> !known.isOpen());
        if (!listening.isOpen() || open.size() >= 2 * MOST_CONNECTIONS) {
            channel.close();
            throw new IOException("closed, or " + MOST_CONNECTIONS + " connections");
        }
        open.add(channel);
        return channel;
    }

    /** Relays one direction of a connection; its end closes both directions. */
    private void pass(SocketChannel from, SocketChannel to) {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        try (from;
                to) {
            while (from.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    to.write(buffer);
                }
                buffer.clear();
            }
        } catch (IOException e) {
            LOG.debug("a connection to {} ended: {}", target, e.getMessage());
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
            synchronized (this) {
                for (SocketChannel channel : open) {
                    channel.close();
                }
            }
        } catch (IOException e) {
            LOG.warn("cannot stop the relay of {}: {}", target, e.getMessage());
        }
    }
}
