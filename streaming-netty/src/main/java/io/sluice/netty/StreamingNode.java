package io.sluice.netty;

import io.netty.channel.Channel;
import io.sluice.netty.receive.DataLinks;
import io.sluice.netty.security.Tls;
import io.sluice.netty.transport.Transport;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.Limit;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.engine.Engine;
import io.sluice.streaming.engine.send.Pins;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.StoreWithDisk;
import io.sluice.streaming.metrics.NodeMetrics;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SendingProgress;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.progress.StreamActivity;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import io.sluice.streaming.progress.StreamActivity.StreamCounters;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.store.TableStore.RecoveryReport;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streaming engine of one node: listens for peers that fetch from this node, and executes stream plans that fetch
 * from peers.
 *
 * <p>Thread-safe. It owns its threads (one that decides, some for connections, some for the disk) and its connections;
 * {@link #close()} ends them all.
 */
public final class StreamingNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamingNode.class);

    private final Transport transport;
    private final Workers workers;
    private final DataLinks links;
    private final Acceptor acceptor;
    private final Channel listening;
    private final Optional<Tls> security;
    private final Engine engine;
    private final Optional<ListenerCalls> listener;
    private final NodeContext context;
    private final AtomicBoolean closed = new AtomicBoolean();

    private StreamingNode(NodeParts parts) {
        this.transport = parts.sockets().transport();
        this.workers = parts.workers();
        this.links = parts.sockets().links();
        this.acceptor = parts.acceptor();
        this.listening = parts.listening();
        this.security = parts.sockets().security();
        this.engine = parts.engine();
        this.listener = parts.listener();
        this.context = engine.node();
    }

    /**
     * Recovers the staging directory of {@code store}, binds the address of {@code self} and accepts sessions.
     *
     * @throws IOException if recovery or binding fails
     * @throws IllegalStateException if Netty is missing on the class path, too old, or of two lines
     */
    public static StreamingNode start(Node self, StreamOptions options, TableStore store) throws IOException {
        return start(
                self,
                options,
                store,
                store instanceof StoreWithDisk own ? own.disk() : new FileSystemDisk(options.pageCache()));
    }

    /** The same on another disk; for tests. */
    static StreamingNode start(Node self, StreamOptions options, TableStore database, Disk files) throws IOException {
        NettyVersion.require();
        return new StreamingNode(NodeParts.start(self, options, database, files));
    }

    /** {@code epoll} (regions leave by sendfile) or {@code nio}. */
    public String transport() {
        return transport.kind();
    }

    /**
     * Starts to execute {@code plan}; all its data is fetched to this node. A plan that was executed before is not
     * executed again: its result, or coming result, is returned; after a restart that of the latest thousand that were
     * complete, without samples of their sessions. A plan that fetches what another running one fetches is refused,
     * with code {@link ErrorCode#BUSY}: which of two results would count could not be said.
     *
     * @return completes normally also if tables failed (see {@link PlanResult#isComplete()})
     * @throws IllegalStateException if this node is closed
     * @throws IllegalArgumentException if another plan had this id
     */
    public CompletableFuture<PlanResult> execute(StreamPlan plan) {
        if (closed.get()) {
            throw new IllegalStateException("this node is closed");
        }
        return engine.execute(plan);
    }

    /**
     * Plans a change of the ring: asks all nodes that may send something what they hold, many at once, and spreads what
     * is to be sent over those that have answered. One that is slow or busy is asked again, as {@link RetryPolicy}
     * says; one that does not answer, or does not know a table, is left out where others can send, and
     * {@link TopologyPlan#unavailable} names it. Nothing is moved.
     *
     * <p>If the change gives this node something, the plan is of what this node has to fetch, and nothing else: what
     * other nodes need is theirs to plan. If it does not, as at the loader of a bulk load, the plan is of all nodes,
     * for whoever hands each its {@link TopologyPlan#streamPlan}.
     *
     * @param rings the ring of each table, as it is before the change
     * @return the plan; or fails with a {@link StreamException}: of code {@link ErrorCode#NO_SOURCE}, naming the range
     *     and who was left out, if nobody can send something, {@link ErrorCode#CANCELLED} if this node is closed; or
     *     with an IllegalArgumentException if the change does not fit the rings
     */
    public CompletableFuture<TopologyPlan> plan(TopologyChange change, Map<TableRef, Ring> rings) {
        return engine.plan(change, rings);
    }

    /**
     * Starts to execute what this node has to fetch by a plan of {@link #plan}, as {@link #execute(StreamPlan)} does. A
     * plan that gives this node nothing to fetch is complete at once.
     */
    public CompletableFuture<PlanResult> execute(TopologyPlan plan) {
        if (closed.get()) {
            throw new IllegalStateException("this node is closed");
        }
        return engine.execute(plan);
    }

    /** A sample of each session of a plan that this node executes or executed; empty if there is no such plan. */
    public CompletableFuture<List<SessionProgress>> progress(UUID planId) {
        return engine.progress(planId);
    }

    /**
     * Fails a plan that this node executes; its sessions end, its staged data goes. No effect on one that has ended.
     */
    public void cancel(UUID planId, String reason) {
        engine.cancel(planId, reason);
    }

    /**
     * Asks for nothing more of a plan that this node executes, until it is resumed: what is on its way arrives, what
     * has landed is installed, sources keep what they have pinned, and no deadline runs. No effect on one that has
     * ended, or if repeated. A node that starts again knows of no pause.
     */
    public void pause(UUID planId) {
        engine.pause(planId);
    }

    /** Goes on with a plan that was paused. No effect on others. */
    public void resume(UUID planId) {
        engine.resume(planId);
    }

    /** A sample of each session in which this node sends. */
    public CompletableFuture<List<SendingProgress>> sending() {
        return engine.sending();
    }

    /** What this node streams now, both ways. */
    public CompletableFuture<StreamActivity> activity() {
        return engine.sample();
    }

    /** What this node has done since it started. */
    public StreamCounters counters() {
        return context.traffic().counters();
    }

    /** How full each queue of this node is, and each part of its memory; docs/operations.md says what they are. */
    public List<QueueSample> queues() {
        return Stream.of(engine.queues(), acceptor.queues(), workers.queues())
                .flatMap(List::stream)
                .toList();
    }

    /**
     * A part of this node that is not for databases, for other modules of Sluice.
     *
     * @throws IllegalArgumentException if it has none of that type
     */
    public <T> T part(Class<T> type) {
        if (type != NodeMetrics.class) {
            throw new IllegalArgumentException("a node has no " + type.getName());
        }
        return type.cast(new NodeMetrics(
                context.traffic(),
                context::nanoTime,
                this::queues,
                engine::queueWaits,
                this::certificateExpiry,
                () -> context.staging().untrustedReason().isPresent()));
    }

    /** Who is let in, who is on hold, and what administrators do. */
    public PeerAccess peerAccess() {
        return new PeerAccess(context.access());
    }

    /** When the certificate of this node, or one that vouches for it, ends; empty in plain text. */
    public Optional<Instant> certificateExpiry() {
        return security.map(Tls::expires);
    }

    /**
     * Reads certificate, key and trust again, as happens by itself within 10 s after one of the files was written: new
     * connections use them, those that are open go on. No effect in plain text.
     *
     * @throws IOException if a file is not what it should be; then what was read before counts on
     */
    public void reloadCertificates() throws IOException {
        if (security.isPresent()) {
            security.get().reload();
        }
    }

    /** Bytes that are kept of plans that failed, for another attempt at the same tables. */
    public long abandonedBytes() throws IOException {
        return context.staging().abandonedBytes();
    }

    /** What was found in staging when this node started, and done about it. */
    public RecoveryReport recovered() {
        return context.staging().recovered();
    }

    /** Why nothing more is installed here until this node starts again; empty if all is well. */
    public Optional<String> untrustedReason() {
        return context.staging().untrustedReason();
    }

    /** Bytes of files that the database has replaced and that only transfers from this node keep alive. */
    public long obsoletePinnedBytes() {
        return engine.pins().obsoleteBytes();
    }

    /**
     * Takes all pins of a table back, as a database does that has to remove or change its files now: sessions that send
     * from them end with {@link ErrorCode#SOURCE_CHANGED}. Receivers try again, keep what they have of all tables, and
     * ask for a new pin, which {@link TableStore#pin} may refuse: then that table comes from another replica, or fails
     * alone.
     *
     * @param reason human-readable, for both ends
     * @return completes when the last of the pins is closed; at once if there is none
     */
    public CompletableFuture<Void> revokePins(TableRef table, String reason) {
        return engine.pins().revoke(table.id(), reason);
    }

    /** What is pinned for peers; for tests. */
    Pins pins() {
        return engine.pins();
    }

    /** Sets a limit, in bytes per second, 0 for none; for what flows already, too. */
    public void throughput(Limit limit, long bytesPerSecond) {
        context.throttles().setRate(limit, bytesPerSecond);
    }

    /** The limit in force, in bytes per second; 0 for none. */
    public long throughput(Limit limit) {
        return context.throttles().rate(limit);
    }

    /**
     * Asks {@code source} which SSTables hold which ranges of which tables: what planning needs. All tables travel on
     * one connection, however many they are. For tests.
     *
     * @param ranges at most 30,000 of each table
     * @return the SSTables of each table of {@code ranges}, none for one of which it holds nothing; or fails with a
     *     {@link StreamException}: of code {@link ErrorCode#UNKNOWN_TABLE} if it does not know one of them,
     *     {@link ErrorCode#TIMEOUT} if for six keep-alive periods there is no answer, or no more of it,
     *     {@link ErrorCode#CANCELLED} if this node is closed
     * @throws IllegalArgumentException for too many ranges
     */
    CompletableFuture<Map<TableRef, List<SSTableSpan>>> spans(Node source, Map<TableRef, TokenRanges> ranges) {
        if (closed.get()) {
            return CompletableFuture.failedFuture(new StreamException(ErrorCode.CANCELLED, "this node is closed"));
        }
        return engine.spans(source, ranges);
    }

    /** Fails running sessions, closes connections and ends all threads, within 10 s. Closing again does nothing. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        listening.close().syncUninterruptibly();
        CompletableFuture<Void> all = engine.cancelAll("the node is shutting down");
        try {
            all.get(5, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
            LOG.warn("closing before all plans have ended: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        transport.close();
        links.close();
        workers.close();
        listener.ifPresent(ListenerCalls::close);
        context.staging().close();
    }

    /**
     * What a thread of a node is for; {@link StreamOptions.Builder#threads} has a factory for each. While nothing
     * streams there are as many as {@link #whileIdle}: enough to clean up in a process that can make no more.
     */
    public enum ThreadKind {
        /** Decides for all sessions; never waits. */
        SESSION(1, 1),
        /** Accepts connections. */
        ACCEPT(1, 1),
        /** Serves connections until their handshake is complete. */
        HANDSHAKE(1, 1),
        /** Serves control connections and queries. */
        CONTROL(2, 2),
        /** Sends bytes of files; as many as {@code streaming_connections_per_host}, at least two. */
        IO(2, 32),
        /** Prepares, stages, syncs and removes files, and calls the database. */
        DISK(2, 16),
        /** Installs received tables. */
        INSTALL(1, 4),
        /** Asks the authorizer. */
        ACCESS(1, 2),
        /** Syncs behind what arrives. */
        WRITE_BACK(1, 2),
        /** Sends heartbeats on connections that receive, and finds silent ones. */
        HEARTBEAT(1, 1),
        /** Receives bytes of files, one for each connection. */
        RECEIVE(0, Integer.MAX_VALUE),
        /** Hands notifications to the executor of a {@link StreamListener}; there is none without a listener. */
        LISTENER(0, 1);

        private final int whileIdle;
        private final int most;

        ThreadKind(int whileIdle, int most) {
            this.whileIdle = whileIdle;
            this.most = most;
        }

        /** How many there are from start to close. */
        public int whileIdle() {
            return whileIdle;
        }

        /** How many there are at most; those beyond {@link #whileIdle} end after an idle minute. */
        public int most() {
            return most;
        }

        /** As in the names of threads: {@code write-back}. */
        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }
}
