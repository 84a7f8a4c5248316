package io.sluice.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.sluice.netty.receive.DataLinks;
import io.sluice.netty.security.Tls;
import io.sluice.netty.transport.Connection;
import io.sluice.netty.transport.Dialer;
import io.sluice.netty.transport.NettyLoop;
import io.sluice.netty.transport.SocketTuning;
import io.sluice.netty.transport.Transport;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.PeerLog;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.access.AccessControl;
import io.sluice.streaming.engine.Engine;
import io.sluice.streaming.engine.receive.ReceivingRoom;
import io.sluice.streaming.engine.send.Offering;
import io.sluice.streaming.engine.send.Pins;
import io.sluice.streaming.install.ArrivalCheck;
import io.sluice.streaming.install.CompletePlans;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.RecoveryReport;
import io.sluice.streaming.install.StagingArea;
import io.sluice.streaming.memory.MemoryPool;
import io.sluice.streaming.memory.PeerShares;
import io.sluice.streaming.memory.SendingMemory;
import io.sluice.streaming.metrics.CountingDisk;
import io.sluice.streaming.metrics.QueueSample;
import io.sluice.streaming.metrics.StreamCounters;
import io.sluice.streaming.metrics.Traffic;
import io.sluice.streaming.plan.SSTableSpan;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SendingProgress;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.runtime.Environment;
import io.sluice.streaming.runtime.Loop;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.runtime.SerialExecutors;
import io.sluice.streaming.session.Deadlines;
import io.sluice.streaming.session.SessionSettings;
import io.sluice.streaming.store.DatabaseCall;
import io.sluice.streaming.store.GuardedStore;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.throttle.Limit;
import io.sluice.streaming.throttle.Throttles;
import io.sluice.streaming.throttle.Yielding;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streaming engine of one node: listens for peers that fetch from this node, and executes stream plans that fetch
 * from peers.
 *
 * <p>Thread-safe. It owns its threads (one that decides, some for connections, some for the disk) and its connections;
 * {@link #close()} ends them all. Long because each order to a node begins here, and its parts are wired here.
 */
public final class StreamingNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamingNode.class);

    private static final Duration PEERS_REFRESH = Duration.ofSeconds(10);
    private static final Duration CERTIFICATES = Duration.ofSeconds(10);

    private final Transport transport;
    private final Workers workers;
    private final DataLinks links;
    private final Acceptor acceptor;
    private final Channel listening;
    private final Optional<Tls> security;
    private final Engine engine;
    private final NodeContext context;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** What a node consists of, besides its engine. */
    private record Parts(
            Transport transport,
            Workers workers,
            DataLinks links,
            Acceptor acceptor,
            Channel listening,
            Optional<Tls> security) {}

    private StreamingNode(Parts parts, Engine engine) {
        this.transport = parts.transport();
        this.workers = parts.workers();
        this.links = parts.links();
        this.acceptor = parts.acceptor();
        this.listening = parts.listening();
        this.security = parts.security();
        this.engine = engine;
        this.context = engine.node();
    }

    /**
     * Recovers the staging directory of {@code store}, binds the address of {@code self} and accepts sessions.
     *
     * @throws IOException if recovery or binding fails
     */
    public static StreamingNode start(Node self, StreamOptions options, TableStore store) throws IOException {
        return start(self, options, store, new FileSystemDisk());
    }

    /**
     * The same, on a disk of the caller's: one that empties the page cache of what was streamed ({@link FileSystemDisk}
     * with a {@code PageCache}), that counts, or that fails on purpose.
     *
     * @throws IOException if recovery or binding fails
     */
    public static StreamingNode start(Node self, StreamOptions options, TableStore database, Disk files)
            throws IOException {
        PeerAccess.requirePrivacy(self, options);
        TableStore store = new GuardedStore(database);
        Optional<Tls> security = options.tls().isEmpty()
                ? Optional.empty()
                : Optional.of(Tls.of(options.tls().get()));
        Traffic traffic = new Traffic();
        Disk counted = new CountingDisk(files, traffic);
        StagingArea staging = StagingArea.open(
                store,
                counted,
                new StagingArea.Options(ArrivalCheck.opening(), options.staging(), Optional.of(self.id())));
        CompletePlans complete;
        try {
            complete = CompletePlans.open(counted, store.stagingDirectory(), self.id());
        } catch (IOException | RuntimeException | Error e) {
            staging.close();
            throw e;
        }
        String name = "sluice-" + self.name();
        PeerLog log = new PeerLog(System::nanoTime);
        Transport transport = Transport.create(name, Math.max(2, options.connectionsPerHost()));
        Workers workers = new Workers(name);
        AccessControl access = PeerAccess.open(self, options, security, log, workers.access());
        SocketTuning tuning = options.tuning();
        DataLinks links =
                new DataLinks(name, new DataLinks.Settings(tuning, security, access, options.deadlines()), traffic);
        Dialer dialer = new Dialer(transport, tuning, security, access);
        Loop loop = new NettyLoop(transport.mailbox());
        Environment environment = new Environment(
                loop,
                new NettyNetwork(self.id(), options.cluster(), dialer, links),
                workers.disk(),
                workers.installs(),
                UUID::randomUUID);
        PeerShares inventory =
                new PeerShares(new MemoryPool("inventory", options.memory().inventoryBytes()));
        NodeContext context = new NodeContext(
                self,
                environment,
                store,
                staging,
                new SerialExecutors(),
                new Throttles(options.throughput(), loop.nanoTime()),
                inventory,
                access,
                traffic,
                log,
                options.deadlines());
        Engine engine = new Engine(
                context,
                counted,
                Offering.ofSSTables(staging, options.modes(), workers.disk()),
                new ReceivingRoom(
                        options.memory(),
                        links.overheadBytes(),
                        options.maxOpenFiles(),
                        options.sessionsPerPeer(),
                        ByteBuffer::allocateDirect,
                        links.writeBack()),
                complete,
                settings(options, SendingMemory.of(options.memory(), security.isPresent(), inventory)));
        PeerAddresses peers = new PeerAddresses(options.peers());
        peers.refresh();
        Acceptor acceptor = new Acceptor(
                new Handshakes.Parties(self, options.cluster(), peers::contains, access, log, traffic::refused),
                transport,
                tuning,
                engine);
        ChannelFuture bound = transport
                .listen(
                        self.address(),
                        tuning,
                        Connection.initializer(acceptor::next, security.map(tls -> tls::server)))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            transport.close();
            links.close();
            workers.close();
            staging.close();
            throw new IOException(
                    "cannot listen on " + self.address() + ": " + bound.cause().getMessage(), bound.cause());
        }
        every(loop, workers, Duration.ofMinutes(30), () -> expire(staging));
        security.map(CertificateWatch::new)
                .ifPresent(watch -> every(loop, workers, CERTIFICATES, () -> watch.look(Instant.now())));
        every(loop, workers, PEERS_REFRESH, peers::refresh);
        LOG.info(
                "node {} ({}) listens on {} by {}, {}",
                self,
                self.id(),
                self.address(),
                transport.kind(),
                security.map(tls -> "TLS by " + tls.library()).orElse("plain text"));
        options.foregroundLoad()
                .map(load -> new ForegroundWatch(load, context.throttles().foreground(), traffic))
                .ifPresent(watch -> loop.every(Yielding.INTERVAL.toNanos(), watch::look));
        return new StreamingNode(new Parts(transport, workers, links, acceptor, bound.channel(), security), engine);
    }

    private static Engine.Settings settings(StreamOptions options, SendingMemory sending) {
        Deadlines deadlines = options.deadlines();
        Predicate<UUID> isRemote = options.isRemote();
        return new Engine.Settings(
                options.retries(),
                () -> SessionSettings.of(options.connectionsPerHost(), deadlines),
                options.schemaPatience(),
                sending,
                options.sessionsPerPeer(),
                options.pinnedPercent(),
                node -> DatabaseCall.asked("isRemote", () -> isRemote.test(node)),
                result -> DatabaseCall.asked("the listener for results", () -> {
                    options.finished().accept(result);
                    return result;
                }));
    }

    /** Now, and again and again: what may wait for the disk, or for names. */
    private static void every(Loop loop, Workers workers, Duration period, Runnable task) {
        workers.disk().execute(task);
        loop.every(period.toNanos(), () -> workers.disk().execute(task));
    }

    private static void expire(StagingArea staging) {
        try {
            staging.expire(System.currentTimeMillis(), System.nanoTime());
        } catch (IOException | StreamException e) {
            LOG.warn("removing what is kept of old transfers: {}", e.getMessage(), e);
        }
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
    public Optional<String> suspicion() {
        return context.staging().suspicion();
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
     * @param reason for people at both ends
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
     * one connection, however many they are.
     *
     * @param ranges at most 30,000 of each table
     * @return the SSTables of each table of {@code ranges}, none for one of which it holds nothing; or fails with a
     *     {@link StreamException}: of code {@link ErrorCode#UNKNOWN_TABLE} if it does not know one of them,
     *     {@link ErrorCode#TIMEOUT} if for six keep-alive periods there is no answer, or no more of it,
     *     {@link ErrorCode#CANCELLED} if this node is closed
     * @throws IllegalArgumentException for too many ranges
     */
    public CompletableFuture<Map<TableRef, List<SSTableSpan>>> spans(Node source, Map<TableRef, TokenRanges> ranges) {
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
        context.staging().close();
    }
}
