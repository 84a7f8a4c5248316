package io.sluice.netty.receive;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.netty.memory.MemoryBudget;
import io.sluice.netty.memory.MemoryPool;
import io.sluice.netty.memory.PeerShares;
import io.sluice.netty.metrics.QueueSample;
import io.sluice.netty.metrics.Traffic;
import io.sluice.netty.security.AccessControl;
import io.sluice.netty.security.Tls;
import io.sluice.netty.security.TlsChannel;
import io.sluice.netty.transport.BlockingSocket;
import io.sluice.netty.transport.SocketTuning;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.session.Deadlines;
import io.sluice.streaming.store.Peer;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the receiving data connections of a node share: threads (one for each open connection, two that sync behind
 * them, and one that feels their pulse), buffers, and the bound of bytes that are not on the disk yet. Thread-safe.
 */
public final class DataLinks implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DataLinks.class);
    private static final int WRITE_BACK_THREADS = 2;
    private static final long CLOSE_SECONDS = 5;

    private final SocketTuning tuning;
    private final Traffic traffic;
    private final Optional<Tls> security;
    private final AccessControl access;
    private final Buffers buffers;
    private final SourcePlaces places;
    private final MemoryPool receiving;
    private final PeerShares inventory;
    private final ExecutorService threads;
    private final ThreadPoolExecutor writeBackThreads;
    private final WriteBack writeBack;
    private final OpenFiles openFiles;
    private final Deadlines deadlines;
    private final ScheduledThreadPoolExecutor pulses;

    /**
     * How a node receives.
     *
     * @param security empty for plain text
     * @param maxOpenFiles of those that bytes land in, at least 1
     * @param sessionsPerPeer that fetch from one source at once, at least 1
     */
    public record Settings(
            SocketTuning tuning,
            Optional<Tls> security,
            AccessControl access,
            MemoryBudget memory,
            Deadlines deadlines,
            int maxOpenFiles,
            int sessionsPerPeer) {}

    /**
     * Starts threads.
     *
     * @param name begins the names of all threads
     * @param inventory for lists of what is offered
     */
    public DataLinks(String name, Settings settings, Traffic traffic, PeerShares inventory) {
        this.traffic = traffic;
        this.tuning = settings.tuning();
        this.security = settings.security();
        this.access = settings.access();
        this.deadlines = settings.deadlines();
        this.inventory = inventory;
        MemoryBudget budget = settings.memory();
        this.receiving = new MemoryPool("receiving", budget.receivingBytes());
        this.buffers =
                new Buffers(receiving, budget.receiveBufferBytes(), security.isPresent() ? TlsChannel.DIRECT_BYTES : 0);
        this.places = new SourcePlaces(settings.sessionsPerPeer());
        this.openFiles = new OpenFiles(settings.maxOpenFiles());
        this.threads = Executors.newCachedThreadPool(new DefaultThreadFactory(name + "-receive"));
        this.writeBackThreads = new ThreadPoolExecutor(
                WRITE_BACK_THREADS,
                WRITE_BACK_THREADS,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                new DefaultThreadFactory(name + "-write-back"));
        this.writeBackThreads.prestartAllCoreThreads();
        this.writeBack = new WriteBack(writeBackThreads, budget.dirtyBytes());
        this.pulses = new ScheduledThreadPoolExecutor(1, new DefaultThreadFactory(name + "-pulse"));
        this.pulses.setRemoveOnCancelPolicy(true);
        this.pulses.prestartAllCoreThreads();
    }

    Traffic traffic() {
        return traffic;
    }

    SocketTuning tuning() {
        return tuning;
    }

    /**
     * What is said over {@code socket}, encrypted if so is set; closing it closes the socket.
     *
     * @throws io.sluice.streaming.StreamException if the certificate is not of the node that was meant
     */
    ByteChannel secured(BlockingSocket socket, Node peer) throws IOException {
        if (security.isEmpty()) {
            return socket;
        }
        SSLEngine engine = security.get().clientEngine(peer.address());
        TlsChannel channel = TlsChannel.handshake(socket, engine);
        try {
            Tls.requireNegotiated(engine.getSession());
            access.requireIdentity(new Peer(peer.id(), peer.address().host(), channel.certificates()));
            return channel;
        } catch (StreamException | IOException e) {
            channel.close();
            throw e;
        }
    }

    /** How full is what connections share. */
    public List<QueueSample> queues() {
        return Stream.concat(
                        Stream.of(
                                receiving.sample(),
                                new QueueSample(
                                        "receiving.waiting", "sessions", buffers.waiting(), QueueSample.OF_ITS_USERS),
                                writeBack.sample()),
                        openFiles.samples().stream())
                .toList();
    }

    OpenFiles openFiles() {
        return openFiles;
    }

    /** For what sources make this node keep. */
    public PeerShares inventory() {
        return inventory;
    }

    SourcePlaces places() {
        return places;
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

    /** @throws OutOfMemoryError if no thread can be made for it */
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

    /**
     * Has something said on a connection, on a thread that may wait for the peer, and never does for a disk; where no
     * thread can be made on this one, which waits only if the buffer of the socket is full of what the peer does not
     * read.
     */
    void speak(Runnable words) {
        try {
            threads.execute(words);
        } catch (OutOfMemoryError noMoreThreads) {
            LOG.debug("no thread for a sign of life, it is given by this one", noMoreThreads);
            words.run();
        }
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
