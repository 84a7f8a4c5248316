package io.sluice.netty.receive;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.netty.memory.MemoryBudget;
import io.sluice.netty.memory.MemoryPool;
import io.sluice.netty.metrics.QueueSample;
import io.sluice.netty.metrics.Traffic;
import io.sluice.netty.security.Tls;
import io.sluice.netty.security.TlsChannel;
import io.sluice.netty.transport.BlockingSocket;
import io.sluice.netty.transport.SocketTuning;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.util.List;
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
    private static final long CLOSE_SECONDS = 5;

    private final SocketTuning tuning;
    private final Traffic traffic;
    private final Optional<Tls> security;
    private final Buffers buffers;
    private final MemoryPool receiving;
    private final MemoryPool inventory;
    private final ExecutorService threads;
    private final ExecutorService writeBackThreads;
    private final WriteBack writeBack;

    /**
     * Starts threads.
     *
     * @param name begins the names of all threads
     * @param security empty for plain text
     * @param inventory for lists of what is offered
     */
    public DataLinks(
            String name,
            SocketTuning tuning,
            Optional<Tls> security,
            Traffic traffic,
            MemoryBudget budget,
            MemoryPool inventory) {
        this.traffic = traffic;
        this.tuning = tuning;
        this.security = security;
        this.inventory = inventory;
        this.receiving = new MemoryPool("receiving", budget.receivingBytes());
        this.buffers =
                new Buffers(receiving, budget.receiveBufferBytes(), security.isPresent() ? TlsChannel.DIRECT_BYTES : 0);
        this.threads = Executors.newCachedThreadPool(new DefaultThreadFactory(name + "-receive"));
        this.writeBackThreads =
                Executors.newFixedThreadPool(WRITE_BACK_THREADS, new DefaultThreadFactory(name + "-write-back"));
        this.writeBack = new WriteBack(writeBackThreads, budget.dirtyBytes());
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

    /** How full is what connections share. */
    public List<QueueSample> queues() {
        return List.of(
                receiving.sample(),
                new QueueSample("receiving.waiting", "sessions", buffers.waiting(), QueueSample.OF_ITS_USERS),
                writeBack.sample());
    }

    MemoryPool inventory() {
        return inventory;
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
