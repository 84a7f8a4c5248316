package io.sluice.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.sluice.netty.memory.MemoryPool;
import io.sluice.netty.memory.PeerShares;
import io.sluice.netty.memory.SendingMemory;
import io.sluice.netty.metrics.CountingDisk;
import io.sluice.netty.metrics.QueueSample;
import io.sluice.netty.metrics.StreamCounters;
import io.sluice.netty.metrics.Traffic;
import io.sluice.netty.receive.DataLinks;
import io.sluice.netty.receive.PlanExecution;
import io.sluice.netty.security.AccessControl;
import io.sluice.netty.security.Tls;
import io.sluice.netty.send.Pins;
import io.sluice.netty.send.SendingPeer;
import io.sluice.netty.transport.Connection;
import io.sluice.netty.transport.Dialer;
import io.sluice.netty.transport.Lanes;
import io.sluice.netty.transport.SocketTuning;
import io.sluice.netty.transport.Transport;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.PeerLog;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.install.ArrivalCheck;
import io.sluice.streaming.install.CompletePlans;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.RecoveryReport;
import io.sluice.streaming.install.StagingArea;
import io.sluice.streaming.plan.SSTableSpan;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SendingProgress;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.DatabaseCall;
import io.sluice.streaming.store.GuardedStore;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.throttle.ForegroundLoad;
import io.sluice.streaming.throttle.Limit;
import io.sluice.streaming.throttle.Throttles;
import io.sluice.streaming.throttle.Yielding;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
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
@SuppressWarnings("FutureReturnValueIgnored") // what is scheduled does not fail, and ends with the mailbox
public final class StreamingNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamingNode.class);

    private static final long PEERS_REFRESH_SECONDS = 10;
    private static final long CERTIFICATES_SECONDS = 10;

    private final Transport transport;
    private final Workers workers;
    private final Pins pins;
    private final StagingArea staging;
    private final Acceptor acceptor;
    private final Channel listening;
    private final Optional<Tls> security;
    private final PlanExecution.Resources resources;
    private final Plans plans;
    private final AtomicBoolean closed = new AtomicBoolean();

    private StreamingNode(
            StreamOptions options,
            Transport transport,
            Workers workers,
            Pins pins,
            CompletePlans complete,
            Acceptor acceptor,
            Channel listening,
            Optional<Tls> security,
            PlanExecution.Resources resources) {
        this.security = security;
        this.transport = transport;
        this.workers = workers;
        this.pins = pins;
        this.staging = resources.staging();
        this.plans = new Plans(options, complete, resources);
        this.acceptor = acceptor;
        this.listening = listening;
        this.resources = resources;
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
        PeerLog log = new PeerLog(System::nanoTime);
        AccessControl access = PeerAccess.open(self, options, log);
        Transport transport = Transport.create("sluice-" + self.name(), Math.max(2, options.connectionsPerHost()));
        Workers workers = new Workers("sluice-" + self.name());
        Lanes lanes = new Lanes();
        Pins pins = new Pins(store, counted, options.pinnedPercent(), lanes, workers.disk());
        EventLoop mailbox = transport.mailbox();
        Throttles throttles = new Throttles(options.throughput(), System.nanoTime());
        SocketTuning tuning = new SocketTuning(
                options.socketBufferBytes(),
                options.congestionControl(),
                options.deadlines().transfer());
        PeerShares inventory =
                new PeerShares(new MemoryPool("inventory", options.memory().inventoryBytes()));
        SendingMemory sending = SendingMemory.of(options.memory(), security.isPresent(), inventory);
        DataLinks links = new DataLinks(
                "sluice-" + self.name(),
                new DataLinks.Settings(
                        tuning,
                        security,
                        access,
                        options.memory(),
                        options.deadlines(),
                        options.maxOpenFiles(),
                        options.sessionsPerPeer()),
                traffic,
                inventory);
        PeerAddresses peers = new PeerAddresses(options.peers());
        peers.refresh();
        Acceptor acceptor = new Acceptor(
                new Handshakes.Parties(self, options.cluster(), peers::contains, access, log, traffic::refused),
                transport,
                new SendingPeer.Resources(
                        mailbox,
                        workers.disk(),
                        counted,
                        store,
                        pins,
                        throttles,
                        traffic,
                        node -> DatabaseCall.asked(
                                "isRemote", () -> options.isRemote().test(node)),
                        tuning,
                        sending,
                        staging,
                        access,
                        options.modes(),
                        options.deadlines(),
                        options.sessionsPerPeer()));
        ChannelFuture bound = transport
                .listen(
                        self.address(),
                        tuning,
                        Connection.initializer(acceptor::next, security.map(tls -> tls::server)))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            transport.close();
            links.close();
            access.close();
            workers.close();
            staging.close();
            throw new IOException(
                    "cannot listen on " + self.address() + ": " + bound.cause().getMessage(), bound.cause());
        }
        mailbox.scheduleAtFixedRate(() -> workers.disk().execute(() -> expire(staging)), 1, 30, TimeUnit.MINUTES);
        security.map(CertificateWatch::new).ifPresent(watch -> {
            Runnable look = () -> workers.disk().execute(() -> watch.look(Instant.now()));
            mailbox.scheduleWithFixedDelay(look, 0, CERTIFICATES_SECONDS, TimeUnit.SECONDS);
        });
        mailbox.scheduleWithFixedDelay(
                () -> workers.disk().execute(peers::refresh),
                PEERS_REFRESH_SECONDS,
                PEERS_REFRESH_SECONDS,
                TimeUnit.SECONDS);
        LOG.info(
                "node {} ({}) listens on {} by {}, {}",
                self,
                self.id(),
                self.address(),
                transport.kind(),
                security.map(tls -> "TLS by " + tls.library()).orElse("plain text"));
        if (options.foregroundLoad() != ForegroundLoad.NONE) {
            long interval = Yielding.INTERVAL.toNanos();
            ForegroundWatch watch = new ForegroundWatch(options.foregroundLoad(), throttles.foreground(), traffic);
            mailbox.scheduleWithFixedDelay(watch::look, interval, interval, TimeUnit.NANOSECONDS);
        }
        Dialer dialer = new Dialer(transport, tuning, security, options.cluster(), self.id(), access);
        return new StreamingNode(
                options,
                transport,
                workers,
                pins,
                complete,
                acceptor,
                bound.channel(),
                security,
                new PlanExecution.Resources(
                        self,
                        dialer,
                        access,
                        log,
                        links,
                        mailbox,
                        workers.disk(),
                        workers.installs(),
                        lanes,
                        store,
                        staging,
                        throttles,
                        traffic,
                        options.deadlines(),
                        options.retries(),
                        options.schemaPatience(),
                        result -> DatabaseCall.asked("the listener for results", () -> {
                            options.finished().accept(result);
                            return result;
                        })));
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
        return plans.execute(plan);
    }

    /** A sample of each session of a plan that this node executes or executed; empty if there is no such plan. */
    public CompletableFuture<List<SessionProgress>> progress(UUID planId) {
        return plans.progress(planId);
    }

    /**
     * Fails a plan that this node executes; its sessions end, its staged data goes. No effect on one that has ended.
     */
    public void cancel(UUID planId, String reason) {
        plans.order(planId, plan -> plan.cancel(reason));
    }

    /**
     * Asks for nothing more of a plan that this node executes, until it is resumed: what is on its way arrives, what
     * has landed is installed, sources keep what they have pinned, and no deadline runs. No effect on one that has
     * ended, or if repeated. A node that starts again knows of no pause.
     */
    public void pause(UUID planId) {
        plans.order(planId, PlanExecution::pause);
    }

    /** Goes on with a plan that was paused. No effect on others. */
    public void resume(UUID planId) {
        plans.order(planId, PlanExecution::resume);
    }

    /** A sample of each session in which this node sends. */
    public CompletableFuture<List<SendingProgress>> sending() {
        return CompletableFuture.supplyAsync(acceptor::progress, resources.mailbox());
    }

    /** What this node has done since it started. */
    public StreamCounters counters() {
        return resources.traffic().counters();
    }

    /** How full each queue of this node is, and each part of its memory; docs/operations.md says what they are. */
    public List<QueueSample> queues() {
        return Stream.of(resources.links().queues(), acceptor.queues(), workers.queues())
                .flatMap(List::stream)
                .toList();
    }

    /** Who is let in, who is on hold, and what administrators do. */
    public PeerAccess peerAccess() {
        return new PeerAccess(resources.access());
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
        return staging.abandonedBytes();
    }

    /** What was found in staging when this node started, and done about it. */
    public RecoveryReport recovered() {
        return staging.recovered();
    }

    /** Why nothing more is installed here until this node starts again; empty if all is well. */
    public Optional<String> suspicion() {
        return staging.suspicion();
    }

    /** Bytes of files that the database has replaced and that only transfers from this node keep alive. */
    public long obsoletePinnedBytes() {
        return pins.obsoleteBytes();
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
        return pins.revoke(table.id(), reason);
    }

    /** What is pinned for peers; for tests. */
    Pins pins() {
        return pins;
    }

    /** Sets a limit, in bytes per second, 0 for none; for what flows already, too. */
    public void throughput(Limit limit, long bytesPerSecond) {
        resources.throttles().setRate(limit, bytesPerSecond);
    }

    /** The limit in force, in bytes per second; 0 for none. */
    public long throughput(Limit limit) {
        return resources.throttles().rate(limit);
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
        return SpansRequest.send(source, ranges, resources);
    }

    /** Fails running sessions, closes connections and ends all threads, within 10 s. Closing again does nothing. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        listening.close().syncUninterruptibly();
        acceptor.cancelAll("the node is shutting down");
        CompletableFuture<Void> all = plans.cancelAll("the node is shutting down");
        try {
            all.get(5, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
            LOG.warn("closing before all plans have ended: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        transport.close();
        resources.links().close();
        resources.access().close();
        workers.close();
        staging.close();
    }
}
