package io.sluice.netty.receive;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.netty.metrics.Traffic;
import io.sluice.netty.security.Tls;
import io.sluice.netty.security.TlsChannel;
import io.sluice.netty.transport.BlockingSocket;
import io.sluice.netty.transport.SocketTuning;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * What the receiving data connections of a node share: threads (one for each open connection, and two that sync behind
 * them), buffers, and the bound of bytes that are not on the disk yet. Thread-safe.
 */
public final class DataLinks implements AutoCloseable {
    private static final int WRITE_BACK_THREADS = 2;
    private static final long MAX_DIRTY_BYTES = 256 << 20;
    private static final long CLOSE_SECONDS = 5;

    private final SocketTuning tuning;
    private final Traffic traffic;
    private final Optional<Tls> security;
    private final Buffers buffers = new Buffers();
    private final ExecutorService threads;
    private final ExecutorService writeBackThreads;
    private final WriteBack writeBack;

    /**
     * Starts threads.
     *
     * @param name begins the names of all threads
     * @param security empty for plain text
     */
    public DataLinks(String name, SocketTuning tuning, Optional<Tls> security, Traffic traffic) {
        this.traffic = traffic;
        this.tuning = tuning;
        this.security = security;
        this.threads = Executors.newCachedThreadPool(new DefaultThreadFactory(name + "-receive"));
        this.writeBackThreads =
                Executors.newFixedThreadPool(WRITE_BACK_THREADS, new DefaultThreadFactory(name + "-write-back"));
        this.writeBack = new WriteBack(writeBackThreads, MAX_DIRTY_BYTES);
    }

    Traffic traffic() {
        return traffic;
    }

    SocketTuning tuning() {
        return tuning;
    }

    /** What is said over {@code socket}, encrypted if so is set; closing it closes the socket. */
    ByteChannel secured(BlockingSocket socket, Node peer) throws IOException {
        return security.isEmpty()
                ? socket
                : TlsChannel.handshake(socket, security.get().clientEngine(peer.address()));
    }

    Buffers buffers() {
        return buffers;
    }

    WriteBack writeBack() {
        return writeBack;
    }

    void start(DataLink link) {
        threads.execute(link);
    }

    /** Waits for the threads, after all connections were closed. */
    @Override
    public void close() {
        threads.shutdownNow();
        writeBackThreads.shutdown();
        try {
            threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            writeBackThreads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
