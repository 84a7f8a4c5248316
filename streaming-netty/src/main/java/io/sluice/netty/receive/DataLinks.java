package io.sluice.netty.receive;

import io.sluice.netty.security.Tls;
import io.sluice.netty.security.TlsChannel;
import io.sluice.netty.threads.CloseDeadline;
import io.sluice.netty.threads.Factories;
import io.sluice.netty.threads.WorkerPool;
import io.sluice.netty.transport.BlockingSocket;
import io.sluice.netty.transport.SocketTuning;
import io.sluice.streaming.Deadlines;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.access.AccessControl;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.metrics.Traffic;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.runtime.DataChannel;
import io.sluice.streaming.store.Authorizer.Peer;
import io.sluice.streaming.transfer.block.DataReceiver;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The receiving data connections of a node, and their threads: one for each open connection, two that sync written
 * bytes in the background, and one heartbeat timer. Thread-safe.
 */
public final class DataLinks implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DataLinks.class);
    private static final WorkerPool.Size WRITE_BACK = new WorkerPool.Size(1, 2);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    private final SocketTuning tuning;
    private final Traffic traffic;
    private final Optional<Tls> security;
    private final AccessControl access;
    private final ExecutorService threads;
    private final WorkerPool writeBackThreads;
    private final Deadlines deadlines;
    private final ScheduledThreadPoolExecutor heartbeats;

    /**
     * Settings for receiving.
     *
     * @param security empty for plain text
     */
    public record Settings(SocketTuning tuning, Optional<Tls> security, AccessControl access, Deadlines deadlines) {}

    /** Thread factories for receiving connections, background syncs and the heartbeat timer. */
    public record Threads(ThreadFactory receive, ThreadFactory writeBack, ThreadFactory heartbeat) {}

    /**
     * Starts threads.
     *
     * @throws IllegalStateException if a factory returns no thread
     */
    public DataLinks(Threads factories, Settings settings, Traffic traffic) {
        this.traffic = traffic;
        this.tuning = settings.tuning();
        this.security = settings.security();
        this.access = settings.access();
        this.deadlines = settings.deadlines();
        this.threads = Executors.newCachedThreadPool(factories.receive());
        this.writeBackThreads = new WorkerPool(WRITE_BACK, factories.writeBack());
        this.heartbeats = new ScheduledThreadPoolExecutor(1, factories.heartbeat());
        this.heartbeats.setRemoveOnCancelPolicy(true);
        try {
            Factories.start(heartbeats, 1);
        } catch (RuntimeException | Error e) {
            writeBackThreads.shutdown();
            throw e;
        }
    }

    Traffic traffic() {
        return traffic;
    }

    SocketTuning tuning() {
        return tuning;
    }

    /**
     * A channel over {@code socket}, encrypted if configured; closing it closes the socket.
     *
     * @throws io.sluice.streaming.StreamException if the certificate does not belong to {@code peer}
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

    /** Runs syncs in the background of receiving threads. */
    public Executor writeBack() {
        return writeBackThreads;
    }

    /** The memory that a data connection needs besides its buffer. */
    public int overheadBytes() {
        return security.isPresent() ? TlsChannel.DIRECT_BYTES : 0;
    }

    Deadlines deadlines() {
        return deadlines;
    }

    /**
     * Begins to open a connection to {@code peer}.
     *
     * @param hello the first message
     * @throws OutOfMemoryError if the system cannot create a thread
     * @throws StreamException of code LIMIT if the thread factory returns none
     */
    public DataChannel open(Node peer, Message hello, DataReceiver receiver) {
        DataLink link = new DataLink(peer, hello, this, receiver);
        try {
            threads.execute(LogKeys.current().around(link));
        } catch (RuntimeException e) {
            throw new StreamException(
                    ErrorCode.LIMIT, "cannot create a thread for a connection to " + peer + ": " + e, e);
        }
        return link;
    }

    /**
     * Checks the liveness of a connection twice per heartbeat period, until the result is cancelled, on one thread for
     * all connections: {@code look} must never block on a disk or a peer.
     */
    Future<?> scheduleHeartbeat(Runnable look) {
        long period = deadlines.heartbeat().toNanos() / 2;
        return heartbeats.scheduleAtFixedRate(LogKeys.current().around(look), period, period, TimeUnit.NANOSECONDS);
    }

    /**
     * Runs a task that sends on a connection or looks a host up, on a thread that may block on the network but never on
     * a disk. If no thread can be created, runs it on this thread, which then blocks only if the peer does not read and
     * the socket buffer is full, or the resolver does not answer.
     */
    public void execute(Runnable task) {
        try {
            threads.execute(LogKeys.current().around(task));
        } catch (RuntimeException | OutOfMemoryError noMoreThreads) {
            LOG.debug("cannot create a thread for a heartbeat or a look-up, the current thread runs it", noMoreThreads);
            task.run();
        }
    }

    @Override
    public void close() {
        close(CloseDeadline.within(CLOSE_LIMIT));
    }

    /** Waits for the threads until a deadline; all connections must be closed. */
    public void close(CloseDeadline deadline) {
        heartbeats.shutdownNow();
        threads.shutdownNow();
        writeBackThreads.shutdown();
        deadline.await(left -> heartbeats.awaitTermination(left.toNanos(), TimeUnit.NANOSECONDS));
        deadline.await(left -> threads.awaitTermination(left.toNanos(), TimeUnit.NANOSECONDS));
        deadline.await(writeBackThreads::awaitTermination);
    }
}
