package io.sluice.netty;

import io.netty.channel.Channel;
import io.sluice.netty.receive.DataLinks;
import io.sluice.netty.security.Tls;
import io.sluice.netty.threads.CloseDeadline;
import io.sluice.netty.threads.OwnThreads;
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
import io.sluice.streaming.plan.Operation.Priority;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SendingProgress;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.progress.SessionProgress.TableProgress;
import io.sluice.streaming.progress.StreamActivity;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import io.sluice.streaming.progress.StreamActivity.StreamCounters;
import io.sluice.streaming.progress.StreamActivity.VolumeSample;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.store.TableStore.RecoveryReport;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streaming engine of one node: listens for peers that fetch from this node, and executes stream plans that fetch
 * from peers.
 *
 * <p>Thread-safe. A node owns its threads (one makes all decisions, others serve connections and disks) and its
 * connections; {@link #close()} ends all of them. Long because it is the one door of an embedder, and its Javadoc.
 *
 * <p>Its futures complete on its threads: those of {@link #execute} and {@link #revokePins} usually on one that may
 * block, all others on the one that makes all decisions, which an action that blocks would stop. Run such an action on
 * an executor of your own, as with {@link CompletableFuture#thenAcceptAsync(java.util.function.Consumer,
 * java.util.concurrent.Executor)}.
 */
public final class StreamingNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamingNode.class);
    /** Of the 10 s of {@link #close}; the listener's executor has the rest. */
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(8);

    private static final String SHUTTING_DOWN = "the node is shutting down";
    private static final Duration OTHER_CALLER = Duration.ofSeconds(10);
    private static final Duration PLANS = Duration.ofSeconds(5);
    /** For what is closed after the connections. */
    private static final Duration OTHERS = Duration.ofSeconds(1);
    /** For the workers after the links, of which a thread may wait for a resolver. */
    private static final Duration WORKERS = Duration.ofMillis(500);

    /** As good as forever. */
    private static final Duration UNTIL_ANSWERED = Duration.ofDays(10_000);

    private final Transport transport;
    private final Workers workers;
    private final DataLinks links;
    private final Acceptor acceptor;
    private final Channel listening;
    private final Optional<Tls> security;
    private final Engine engine;
    private final Optional<ListenerCalls> listener;
    private final NodeContext context;
    private final OwnThreads threads;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CountDownLatch isClosed = new CountDownLatch(1);

    private StreamingNode(NodeParts parts) {
        this.threads = parts.threads();
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
     * <p>An interruption before the call does not end the start, and is kept for the caller. One during the call, also
     * kept, ends the start if a file is used after it: the next start finds all as it was. Only one during a call of
     * {@code store} is forgotten, because it may be the store's own.
     *
     * @throws IOException if recovery or binding fails, if this thread is interrupted, or if a staging directory
     *     contains another one or the live folder of a known table: then nothing was removed
     * @throws IllegalStateException if Netty is missing on the class path, too old, or a mix of 4.1 and 4.2
     */
    public static StreamingNode start(Node self, StreamOptions options, TableStore store) throws IOException {
        return start(
                self,
                options,
                store,
                store instanceof StoreWithDisk own ? own.disk() : new FileSystemDisk(options.pageCache()));
    }

    /** Starts a node on another disk; for tests. */
    static StreamingNode start(Node self, StreamOptions options, TableStore database, Disk files) throws IOException {
        NettyVersion.require();
        boolean wasInterrupted = Thread.interrupted(); // an interrupted thread cannot use files
        try {
            return new StreamingNode(NodeParts.start(self, options, database, files));
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** {@code epoll} (regions leave by sendfile) or {@code nio}. */
    public String transport() {
        return transport.kind();
    }

    /**
     * Starts to execute {@code plan}; all its data is fetched to this node. A plan is executed only once: a second call
     * returns another future of the same result. After a restart the node remembers the results of the latest 1,000
     * complete plans, without samples of their sessions: fewer if their results have more than 4 MiB together, about 42
     * bytes for each range of a table from a source. It executes a plan that it has forgotten again. A plan whose
     * ranges overlap those of a running plan fails with {@link ErrorCode#BUSY}; execute it again when that one has
     * ended.
     *
     * @return completes normally even if tables failed (see {@link PlanResult#isComplete()})
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
     * Plans a change of the ring: asks all possible sources in parallel which data they hold, and divides the transfers
     * among those that answer. A slow or busy source is asked again according to {@link RetryPolicy}. A source that
     * does not answer, or does not know a table, is left out if others can send the data;
     * {@link TopologyPlan#unavailable} lists it. Planning moves no data.
     *
     * <p>If the change assigns data to this node, the plan covers only what this node fetches; other nodes plan for
     * themselves. Otherwise, as for the loader of a bulk load, the plan covers all nodes, and the caller sends each of
     * them its {@link TopologyPlan#streamPlan}.
     *
     * @param rings the ring of each table before the change; a cluster without tables has none, and nothing to plan
     * @return the plan; or fails with a {@link StreamException}: of code {@link ErrorCode#NO_SOURCE}, naming the range
     *     and the nodes that were left out, if no node can send a range, {@link ErrorCode#CANCELLED} if this node is
     *     closed; or with an IllegalArgumentException if the change does not fit the rings, or names a table that has
     *     none
     */
    public CompletableFuture<TopologyPlan> plan(TopologyChange change, Map<TableRef, Ring> rings) {
        return engine.plan(change, rings);
    }

    /**
     * Starts to execute this node's part of a plan that {@link #plan} returned, as {@link #execute(StreamPlan)} does. A
     * plan in which this node fetches nothing completes at once.
     */
    public CompletableFuture<PlanResult> execute(TopologyPlan plan) {
        if (closed.get()) {
            throw new IllegalStateException("this node is closed");
        }
        return engine.execute(plan);
    }

    /** A sample of each session of a plan that this node executes or executed; empty if the plan is unknown. */
    public CompletableFuture<List<SessionProgress>> progress(UUID planId) {
        return engine.progress(planId);
    }

    /** How much a plan that this node executes has received of each offered table; empty if it does not run. */
    public CompletableFuture<List<TableProgress>> receivedTables(UUID planId) {
        return engine.receivedTables(planId);
    }

    /**
     * Cancels a plan that this node executes: its sessions end, and its staged data is removed. An install that has
     * begun gets 4 s to end; if all tables are live then, the plan is complete. Has no effect on a plan that has ended.
     */
    public void cancel(UUID planId, String reason) {
        engine.cancel(planId, reason);
    }

    /**
     * Pauses a plan that this node executes: it requests nothing more until {@link #resume}. Extents in flight still
     * arrive, complete tables are installed, and sources keep their pins. Sessions wait without a deadline, but a peer
     * that sends nothing for {@code streaming_silence_timeout} is lost as ever, and a running install has to end within
     * {@code streaming_install_timeout}. Has no effect on a plan that is paused or has ended. A restart of the node
     * ends the pause.
     */
    public void pause(UUID planId) {
        engine.pause(planId);
    }

    /** Resumes a paused plan. Has no effect on other plans. */
    public void resume(UUID planId) {
        engine.resume(planId);
    }

    /**
     * Makes a plan that this node executes more or less urgent than its operation is: from the next wait for a slot or
     * memory, and from the next piece under a shared limit of this node on. Its sources go on by the operation. Has no
     * effect on other plans. A restart of the node ends it.
     */
    public void prioritize(UUID planId, Priority priority) {
        engine.prioritize(planId, priority);
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

    /** How full each queue of this node is, and each part of its memory; docs/operations.md describes them. */
    public List<QueueSample> queues() {
        return Stream.of(engine.queues(), acceptor.queues(), workers.queues())
                .flatMap(List::stream)
                .toList();
    }

    /**
     * An internal part of this node, for other modules of Sluice only.
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
                this::volumes,
                this::certificateExpiry,
                () -> context.staging().untrustedReason().isPresent()));
    }

    /** Access of peers: holds, and orders of administrators. */
    public PeerAccess peerAccess() {
        return new PeerAccess(context.access());
    }

    /** When the certificate of this node, or one in its chain, expires; empty without TLS. */
    public Optional<Instant> certificateExpiry() {
        return security.map(Tls::expires);
    }

    /**
     * Reloads certificate, key and trust. The node does so itself within 10 s after one of the files changes. New
     * connections use the new files; open connections continue. Has no effect without TLS.
     *
     * @throws IOException if a file cannot be used; the previous certificates stay in use
     */
    public void reloadCertificates() throws IOException {
        if (security.isPresent()) {
            security.get().reload();
        }
    }

    /** Staged bytes of failed plans that are retained for another attempt at the same tables. */
    public long abandonedBytes() throws IOException {
        return context.staging().abandonedBytes();
    }

    /** What recovery found in staging when this node started, and what it did. */
    public RecoveryReport recovered() {
        return context.staging().recovered();
    }

    /**
     * Each data volume: its free space, its reservation, and whether it has failed. Answered from memory, without
     * access to a disk. A failed volume receives nothing until the node restarts; its files are fetched again to the
     * other volumes.
     */
    public List<VolumeSample> volumes() {
        return context.staging().samples();
    }

    /** Why this node installs nothing until it restarts; empty as long as one volume can be used. */
    public Optional<String> untrustedReason() {
        return context.staging().untrustedReason();
    }

    /** Bytes of files that the database has replaced and that only transfers from this node keep alive. */
    public long obsoletePinnedBytes() {
        return engine.pins().obsoleteBytes();
    }

    /**
     * Revokes all pins of a table, for a database that must remove or change its files now. Sessions that send these
     * files end with {@link ErrorCode#SOURCE_CHANGED}. Receivers keep what they have, retry, and request a new pin. If
     * {@link TableStore#pin} refuses it, they fetch the table from another replica, or this table alone fails.
     *
     * @param reason human-readable; both ends report it
     * @return completes when the last of the pins is closed; at once if there is none
     */
    public CompletableFuture<Void> revokePins(TableRef table, String reason) {
        return engine.pins().revoke(table.id(), reason);
    }

    /** The pins held for peers; for tests. */
    Pins pins() {
        return engine.pins();
    }

    /** Sets a limit in bytes per second, 0 for none. It applies to running transfers, too. */
    public void throughput(Limit limit, long bytesPerSecond) {
        context.throttles().setRate(limit, bytesPerSecond);
    }

    /** The current limit in bytes per second; 0 for none. */
    public long throughput(Limit limit) {
        return context.throttles().rate(limit);
    }

    /**
     * Asks {@code source} which SSTables hold which ranges of which tables: what planning needs. All tables travel on
     * one connection, however many they are. For tests.
     *
     * @param ranges at most 30,000 of each table
     * @return the SSTables of each table of {@code ranges}, an empty list for a table of which it has none; or fails
     *     with a {@link StreamException}: of code {@link ErrorCode#UNKNOWN_TABLE} if it does not know one of them,
     *     {@link ErrorCode#TIMEOUT} if no answer, or no further part of it, arrives within six keep-alive periods,
     *     {@link ErrorCode#CANCELLED} if this node is closed
     * @throws IllegalArgumentException for too many ranges
     */
    CompletableFuture<Map<TableRef, List<SSTableSpan>>> spans(Node source, Map<TableRef, TokenRanges> ranges) {
        if (closed.get()) {
            return CompletableFuture.failedFuture(new StreamException(ErrorCode.CANCELLED, "this node is closed"));
        }
        return engine.spans(source, ranges);
    }

    /**
     * Ends running sessions, closes connections and stops all threads, within 10 s. A thread that a disk, a call of the
     * database or an executor of the embedder blocks for longer goes on, and ends when it is answered. Until those of
     * disk and database have ended, the staging directories stay locked: another node on them is refused.
     *
     * <p>A running plan is cancelled at once. An install that has begun gets 4 s to end; if a table of the plan is not
     * live then, the plan fails with {@link ErrorCode#CANCELLED}. What it has received is retained, as when the process
     * is killed, and another attempt after the next start does not fetch it again (rows, which become new SSTables
     * here, it does); beyond {@code staging_retained} the oldest is removed. A receiver to which this node is sending
     * retries, as if this node were lost.
     *
     * <p>Idempotent: a second caller waits for the first. An interruption does not end the wait, and is kept for the
     * caller. A call on a thread of this node, as in an action of one of its futures or in a call of the database,
     * returns at once, because that thread has to end, too: then a new thread closes the node. The executor of a
     * {@link StreamListener} has threads of the embedder: a call in a notification waits as any other does.
     */
    @Override
    public void close() {
        if (threads.includeCurrent()) {
            new Thread(this::close, "sluice-" + context.self().name() + "-close").start();
            return;
        }
        boolean wasInterrupted = Thread.interrupted(); // an interrupted thread cannot use files
        try {
            if (closed.compareAndSet(false, true)) {
                try {
                    closeParts();
                } finally {
                    isClosed.countDown();
                }
            } else {
                CloseDeadline.within(OTHER_CALLER).await(left -> isClosed.await(left.toNanos(), TimeUnit.NANOSECONDS));
            }
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it only counts down
    private void closeParts() {
        CloseDeadline deadline = CloseDeadline.within(CLOSE_LIMIT);
        listening.close().syncUninterruptibly();
        CountDownLatch ended = new CountDownLatch(1);
        engine.cancelAll(SHUTTING_DOWN).whenComplete((nothing, failure) -> ended.countDown());
        if (!CloseDeadline.within(PLANS).await(left -> ended.await(left.toNanos(), TimeUnit.NANOSECONDS))) {
            LOG.warn("closing before all plans have ended: a disk or a call of the database hangs");
            engine.abandonAll(SHUTTING_DOWN);
        }
        transport.close(deadline.before(OTHERS));
        context.access().close();
        links.close(deadline.before(WORKERS));
        boolean isIdle = workers.close(deadline);
        listener.ifPresent(ListenerCalls::close);
        if (isIdle) {
            context.staging().close();
        } else {
            closeStagingWhenIdle();
        }
    }

    /** A thread that a disk blocks may still install: until it ends, nobody else may recover the same sets. */
    private void closeStagingWhenIdle() {
        Thread waiting = new Thread(
                () -> {
                    if (workers.awaitIdle(CloseDeadline.within(UNTIL_ANSWERED))) {
                        context.staging().close();
                    }
                },
                "sluice-" + context.self().name() + "-unlock");
        waiting.setDaemon(true); // the end of the process releases the lock, too
        waiting.start();
    }

    /**
     * What a thread of a node is for; {@link StreamOptions.Builder#threads} has a factory for each. An idle node has
     * {@link #whileIdle} of each kind, but as many of {@link #IO} as {@code streaming_connections_per_host} if that is
     * more: enough to clean up in a process that cannot create another thread.
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
        /** Syncs received bytes behind the writers. */
        WRITE_BACK(1, 2),
        /** Sends heartbeats on receiving connections, and detects silent ones. */
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

        /** The number of threads from start to close; of {@link #IO} the least. */
        public int whileIdle() {
            return whileIdle;
        }

        /**
         * The maximum. Threads beyond {@link #whileIdle} end after one idle minute; those of {@link #IO} stay until the
         * node is closed.
         */
        public int most() {
            return most;
        }

        /** As in the names of threads: {@code write-back}. */
        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }
}
