package io.sluice.cassandra.net;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.sluice.netty.security.TlsChannel;
import io.sluice.netty.transport.SocketTuning;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.PeerLog;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.memory.PeerShares;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Accepts connections of Cassandra nodes until it is closed; each connection has its own thread. Thread-safe: guards
 * its connections by itself.
 */
public final class CassandraAcceptor implements Links.OpenPort {
    private static final Logger LOG = LoggerFactory.getLogger(CassandraAcceptor.class);
    /** A node opens up to one for each of its processors. */
    static final int MOST_CONNECTIONS = 256;

    /** How many of them have large buffers: the others of a node with more processors than that cost little. */
    private static final int MOST_LARGE_BUFFERS = 64;

    private static final int LARGE_BUFFER_BYTES = 1 << 20;
    private static final int SMALL_BUFFER_BYTES = 1 << 16;
    private static final long PAUSE_MILLIS = 100;

    private final ServerSocketChannel listener;
    private final @Nullable SslContext tls;
    private final Timeouts timeouts;
    private final Consumer<IncomingLink> onLink;
    private final Refusals onRefused;
    private final PeerLog log = new PeerLog(System::nanoTime);
    private final PeerShares memory;
    private final Map<Thread, TimedSocket> connections = new HashMap<>();
    /** Connections whose first message is not complete, oldest first. */
    private final Map<Thread, TimedSocket> silent = new LinkedHashMap<>();

    private final Thread listening = new Thread(this::listen, "cassandra-listen");
    private boolean isClosing;

    /**
     * Called on any thread with the reason why a connection was refused. An exception is logged, and changes nothing.
     */
    @FunctionalInterface
    public interface Refusals {
        /**
         * A connection was refused.
         *
         * @param peer its IP address
         * @param reason as a sentence
         */
        void accept(String peer, String reason);
    }

    /**
     * Time limits.
     *
     * @param handshake for the whole handshake, that of TLS included
     * @param connection after the handshake: for the next byte to arrive, and for room to write one
     */
    record Timeouts(Duration handshake, Duration connection) {}

    private CassandraAcceptor(
            ServerSocketChannel listener,
            @Nullable SslContext tls,
            Timeouts timeouts,
            PeerShares memory,
            Consumer<IncomingLink> onLink,
            Refusals onRefused) {
        this.listener = listener;
        this.tls = tls;
        this.timeouts = timeouts;
        this.memory = memory;
        this.onLink = onLink;
        this.onRefused = onRefused;
        this.listening.setDaemon(true);
    }

    /**
     * Starts listening.
     *
     * @param at local address and port; port 0 for a free one
     * @param tls present if connections are to be encrypted
     * @param memory for the messages of all connections
     */
    static CassandraAcceptor start(
            InetSocketAddress at,
            @Nullable SslContext tls,
            Timeouts timeouts,
            PeerShares memory,
            Consumer<IncomingLink> onLink,
            Refusals onRefused)
            throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        try {
            listener.bind(at);
        } catch (IOException taken) {
            listener.close();
            throw new IOException(at.getAddress() + " port " + at.getPort() + ": " + taken.getMessage(), taken);
        }
        CassandraAcceptor acceptor = new CassandraAcceptor(listener, tls, timeouts, memory, onLink, onRefused);
        acceptor.listening.start();
        return acceptor;
    }

    @Override
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.socket().getLocalSocketAddress();
    }

    private void listen() {
        try {
            while (true) {
                try {
                    take(listener.accept());
                } catch (ClosedChannelException closed) {
                    throw closed;
                } catch (IOException e) { // out of file descriptors, or the peer disconnected at once
                    refuse("?", "could not accept a connection: " + e.getMessage());
                    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                }
            }
        } catch (ClosedChannelException | InterruptedException closing) {
            LOG.debug("no longer listening: {}", closing.toString());
        }
    }

    private void take(SocketChannel channel) throws IOException {
        TimedSocket socket = TimedSocket.of(channel, timeouts.handshake());
        try {
            new SocketTuning(0, "").applyTo(channel);
            socket.setReadDeadline(timeouts.handshake());
            Optional<String> refusal = serveOrRefuse(socket);
            if (refusal.isPresent()) {
                socket.close();
                refuse(address(socket), "connection of " + socket.peer() + ": " + refusal.get());
            }
        } catch (OutOfMemoryError noThread) {
            socket.close();
            throw new IOException(
                    "cannot start a thread for " + socket.peer() + ": " + noThread.getMessage(), noThread);
        } catch (IOException failed) {
            socket.close();
            throw failed;
        }
    }

    /** Starts to serve a connection, or returns why it cannot. */
    private synchronized Optional<String> serveOrRefuse(TimedSocket socket) {
        connections.keySet().removeIf(thread -> !thread.isAlive());
        silent.keySet().retainAll(connections.keySet());
        if (isClosing) {
            return Optional.of("closing");
        }
        if (connections.size() >= MOST_CONNECTIONS && !isEvicted()) {
            return Optional.of(connections.size() + " connections are in use (expected: at most " + MOST_CONNECTIONS
                    + "; let fewer senders work at once)");
        }
        int bufferBytes = connections.size() < MOST_LARGE_BUFFERS ? LARGE_BUFFER_BYTES : SMALL_BUFFER_BYTES;
        Thread thread = new Thread(() -> serve(socket, bufferBytes), "cassandra-receive-" + connections.size());
        thread.setDaemon(true);
        connections.put(thread, socket);
        silent.put(thread, socket);
        try {
            thread.start();
        } catch (OutOfMemoryError noThread) {
            connections.remove(thread);
            silent.remove(thread);
            throw noThread;
        }
        return Optional.empty();
    }

    /** Closes the oldest connection whose first message is not complete, if there is one. */
    private boolean isEvicted() {
        Iterator<Map.Entry<Thread, TimedSocket>> oldest = silent.entrySet().iterator();
        if (!oldest.hasNext()) {
            return false;
        }
        Map.Entry<Thread, TimedSocket> next = oldest.next();
        oldest.remove();
        connections.remove(next.getKey());
        close(next.getValue());
        return true;
    }

    private synchronized void hasSentAMessage() {
        silent.remove(Thread.currentThread());
    }

    private void serve(TimedSocket socket, int bufferBytes) {
        try (ByteChannel stream = secured(socket)) {
            var connection = new IncomingLink.Accepted(socket, stream, log, memoryOf(socket), bufferBytes);
            IncomingLink.serve(connection, timeouts.connection(), this::hasSentAMessage, onLink);
        } catch (IOException | StreamException refused) {
            refuse(
                    address(socket),
                    "connection of " + socket.peer() + ": "
                            + TlsFailure.reason(refused)
                                    .orElseGet(() -> Objects.requireNonNullElse(
                                            refused.getMessage(), "closed before the handshake"))
                            + (tls == null ? "" : " (expected: TLS, with a certificate that we trust)"));
        } catch (RuntimeException | Error defect) {
            log.write(LOG, Level.ERROR, address(socket), "connection of {}", socket.peer(), defect);
            refuse(address(socket), "connection of " + socket.peer() + ": internal error: " + defect);
            VirtualMachineErrors.handOn(defect);
        }
    }

    /** Calls the embedder, possibly on the listening thread, which an exception must not end. */
    private void refuse(String peer, String reason) {
        try {
            onRefused.accept(peer, reason);
        } catch (RuntimeException | Error defect) {
            log.write(LOG, Level.ERROR, peer, "the callback for refused connections failed on: {}", reason, defect);
            VirtualMachineErrors.handOn(defect);
        }
    }

    private PeerMemory memoryOf(TimedSocket socket) {
        return memory.of(UUID.nameUUIDFromBytes(socket.peer().getAddress().getAddress()));
    }

    private static String address(TimedSocket socket) {
        return socket.peer().getAddress().getHostAddress();
    }

    private ByteChannel secured(TimedSocket socket) throws IOException {
        if (tls == null) {
            return socket;
        }
        try {
            // Of a handler: it decrypts many records in one call.
            return TlsChannel.handshake(
                    socket, tls.newHandler(ByteBufAllocator.DEFAULT).engine());
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /** Stops accepting, closes all connections, and waits for their threads, at most 10 s each. */
    @Override
    public void close() {
        close(listener);
        Map<Thread, TimedSocket> all;
        synchronized (this) {
            isClosing = true;
            all = Map.copyOf(connections);
        }
        all.values().forEach(CassandraAcceptor::close);
        try {
            listening.join(TimeUnit.SECONDS.toMillis(10));
            for (Thread thread : all.keySet()) {
                thread.join(TimeUnit.SECONDS.toMillis(10));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(Closeable what) {
        try {
            what.close();
        } catch (IOException e) {
            LOG.warn("{}: {}", what, e.getMessage(), e);
        }
    }
}
