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
import io.sluice.streaming.session.Deadlines;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * What the receiving data connections of a node share: threads (one for each open connection, two that sync behind
 * them, and one that feels their pulse), buffers, and the bound of bytes that are not on the disk yet. Thread-safe.
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
    private final Deadlines deadlines;
    private final ScheduledThreadPoolExecutor pulses;

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
            MemoryPool inventory,
            Deadlines deadlines) {
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
        this.deadlines = deadlines;
        this.pulses = new ScheduledThreadPoolExecutor(1, new DefaultThreadFactory(name + "-pulse"));
        this.pulses.setRemoveOnCancelPolicy(true);
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

    Deadlines deadlines() {
        return deadlines;
    }

    void start(DataLink link) {
        threads.execute(link);
    }

    /**
     * Has the pulse of a connection felt twice per heartbeat, until the answer is cancelled, on the one thread for all
     * of them: {@code look} must never wait, neither for a disk nor for a peer.
     */
    Future<?> watch(Runnable look) {
        long period = deadlines.heartbeat().toNanos() / 2;
        return pulses.scheduleAtFixedRate(look, period, period, TimeUnit.NANOSECONDS);
    }

    /** Has something said on a connection, on a thread that may wait for the peer, and never does for a disk. */
    void speak(Runnable words) {
        threads.execute(words);
    }

    /** Waits for the threads, after all connections were closed. */
    @Override
    public void close() {
        pulses.shutdownNow();
        threads.shutdownNow();
        writeBackThreads.shutdown();
        try {
            pulses.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            writeBackThreads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
