package io.sluice.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.netty.StreamingNode.ThreadKind;
import io.sluice.netty.receive.DataLinks;
import io.sluice.netty.security.Tls;
import io.sluice.netty.threads.Factories;
import io.sluice.netty.threads.OwnThreads;
import io.sluice.netty.transport.Connection;
import io.sluice.netty.transport.Dialer;
import io.sluice.netty.transport.NettyLoop;
import io.sluice.netty.transport.SocketTuning;
import io.sluice.netty.transport.Transport;
import io.sluice.sstable.encoding.PageAligned;
import io.sluice.streaming.Deadlines;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.access.AccessControl;
import io.sluice.streaming.engine.Engine;
import io.sluice.streaming.engine.receive.ReceivingResources;
import io.sluice.streaming.engine.send.OfferFactory;
import io.sluice.streaming.guard.DatabaseCall;
import io.sluice.streaming.guard.GuardedStore;
import io.sluice.streaming.install.CompletePlans;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.ReceivedSSTableCheck;
import io.sluice.streaming.install.StagingArea;
import io.sluice.streaming.log.PeerLog;
import io.sluice.streaming.log.SystemWords;
import io.sluice.streaming.memory.MemoryPool;
import io.sluice.streaming.memory.PeerShares;
import io.sluice.streaming.memory.SendingMemory;
import io.sluice.streaming.metrics.CountingDisk;
import io.sluice.streaming.metrics.Traffic;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.runtime.ActivityListener;
import io.sluice.streaming.runtime.Environment;
import io.sluice.streaming.runtime.Loop;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.runtime.SerialExecutors;
import io.sluice.streaming.runtime.TaskQueue;
import io.sluice.streaming.session.SessionSettings;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.throttle.BackPressure;
import io.sluice.streaming.throttle.Throttles;
import java.io.IOException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The started and wired parts of a node. Immutable; closed by its {@link StreamingNode}. */
record NodeParts(
        OwnThreads threads,
        Sockets sockets,
        Workers workers,
        Acceptor acceptor,
        Channel listening,
        Engine engine,
        Optional<ListenerCalls> listener) {
    private static final Logger LOG = LoggerFactory.getLogger(NodeParts.class);

    /** The connections of a node in both directions. */
    record Sockets(Transport transport, DataLinks links, Dialer dialer, SocketTuning tuning, Optional<Tls> security) {}

    /**
     * Starts all parts; if one cannot be started, closes those before it.
     *
     * @throws IOException if recovery or binding fails
     */
    static NodeParts start(Node self, StreamOptions options, TableStore database, Disk files) throws IOException {
        PeerAccess.requirePrivacy(self, options);
        Starter starter = new Starter(self, options, new GuardedStore(database));
        try {
            return starter.start(files);
        } catch (IOException | RuntimeException | Error e) {
            starter.closeStarted(e);
            throw e;
        }
    }

    /** Starts the parts of one node in order. Used once, by one thread. */
    private static final class Starter {
        private static final Duration PEERS_REFRESH = Duration.ofSeconds(10);
        private static final Duration CERTIFICATES = Duration.ofSeconds(10);
        private static final Duration SAMPLES = Duration.ofSeconds(1);
        private static final Duration VOLUME_SAMPLES = Duration.ofSeconds(10);
        private static final Duration STAGING_EXPIRY = Duration.ofMinutes(30);

        private final Node self;
        private final StreamOptions options;
        private final TableStore store;
        private final OwnThreads threads = new OwnThreads();
        private final Traffic traffic = new Traffic();
        private final PeerLog log = new PeerLog(System::nanoTime);
        private Optional<ListenerCalls> listener = Optional.empty();
        /** The parts to close if a later one cannot be started, the latest first. */
        private final Deque<AutoCloseable> started = new ArrayDeque<>();

        Starter(Node self, StreamOptions options, TableStore store) {
            this.self = self;
            this.options = options;
            this.store = store;
        }

        NodeParts start(Disk files) throws IOException {
            Optional<Tls> security = options.tls().isEmpty()
                    ? Optional.empty()
                    : Optional.of(Tls.of(options.tls().get()));
            Disk disk = new CountingDisk(files, traffic);
            StagingArea staging = closedOnFailure(StagingArea.open(
                    store,
                    disk,
                    new StagingArea.Options(
                            ReceivedSSTableCheck.opening(),
                            options.staging(),
                            Optional.of(self.id()),
                            UUID::randomUUID)));
            CompletePlans complete = CompletePlans.open(disk, staging.root(), self.id());
            Workers workers = closedOnFailure(new Workers(this::factory));
            Transport transport = closedOnFailure(transport());
            Loop loop = new NettyLoop(transport.mailbox());
            AccessControl access = PeerAccess.open(
                    self,
                    options,
                    security,
                    log,
                    new AccessControl.Questions(workers.access(), (nanos, task) -> loop.after(nanos, task)::cancel));
            Sockets sockets = sockets(transport, security, access);
            NodeContext context = context(loop, staging, workers, access, sockets);
            listener = options.listening()
                    .map(to -> closedOnFailure(
                            new ListenerCalls(factory(ThreadKind.LISTENER), to.listener(), to.executor())));
            Engine engine = engine(context, disk, complete, sockets);
            PeerAddresses peers = new PeerAddresses(options.peers());
            peers.refresh();
            Acceptor acceptor = new Acceptor(
                    new Handshakes.Parties(self, options.cluster(), peers::contains, access, log, traffic::refused),
                    sockets.transport(),
                    sockets.tuning(),
                    engine);
            Channel listening = listen(acceptor, sockets);
            startTimers(context, workers, sockets, peers);
            listener.ifPresent(calls -> startSamples(context.environment().loop(), engine, calls));
            return new NodeParts(threads, sockets, workers, acceptor, listening, engine, listener);
        }

        private ThreadFactory factory(ThreadKind kind) {
            ThreadFactory factory = options.threads()
                    .orElse(any -> new DefaultThreadFactory("sluice-" + self.name() + "-" + any.label(), true))
                    .apply(kind);
            return threads.of(
                    Objects.requireNonNull(factory, () -> "the factory for threads of kind " + kind + " is null"));
        }

        private ThreadFactory loops(ThreadKind kind) {
            return Factories.ofLoops(factory(kind), kind);
        }

        private Transport transport() {
            return Transport.create(
                    new Transport.Threads(
                            loops(ThreadKind.SESSION),
                            loops(ThreadKind.ACCEPT),
                            loops(ThreadKind.HANDSHAKE),
                            loops(ThreadKind.CONTROL),
                            loops(ThreadKind.IO)),
                    Math.max(ThreadKind.IO.whileIdle(), options.connectionsPerHost()));
        }

        private Sockets sockets(Transport transport, Optional<Tls> security, AccessControl access) {
            SocketTuning tuning = new SocketTuning(
                    options.socketBufferBytes(),
                    options.congestionControl(),
                    options.deadlines().transfer());
            DataLinks links = closedOnFailure(new DataLinks(
                    new DataLinks.Threads(
                            factory(ThreadKind.RECEIVE), factory(ThreadKind.WRITE_BACK), factory(ThreadKind.HEARTBEAT)),
                    new DataLinks.Settings(tuning, security, access, options.deadlines()),
                    traffic));
            Dialer dialer = new Dialer(transport, tuning, security, access, new Dialer.Names(links::execute));
            return new Sockets(transport, links, dialer, tuning, security);
        }

        private NodeContext context(
                Loop loop, StagingArea staging, Workers workers, AccessControl access, Sockets sockets) {
            return new NodeContext(
                    self,
                    new Environment(
                            loop,
                            new NettyNetwork(self.id(), options.cluster(), sockets.dialer(), sockets.links()),
                            new TaskQueue(workers.disk(), loop::nanoTime),
                            new TaskQueue(workers.installs(), loop::nanoTime),
                            UUID::randomUUID),
                    store,
                    staging,
                    new SerialExecutors(),
                    new Throttles(options.throughput(), loop.nanoTime()),
                    new PeerShares(new MemoryPool("inventory", options.memory().inventoryBytes())),
                    access,
                    traffic,
                    log,
                    options.deadlines());
        }

        private Engine engine(NodeContext context, Disk disk, CompletePlans complete, Sockets sockets) {
            return new Engine(
                    context,
                    disk,
                    OfferFactory.ofSSTables(
                            context.staging(),
                            options.modes(),
                            context.environment().disk()),
                    new ReceivingResources(
                            options.memory(),
                            sockets.links().overheadBytes() + PageAligned.PAGE_BYTES,
                            options.maxOpenFiles(),
                            options.sessionsPerPeer(),
                            PageAligned::allocate,
                            sockets.links().writeBack()),
                    complete,
                    settings(SendingMemory.of(
                            options.memory(), sockets.security().isPresent(), context.inventory())));
        }

        private Engine.Settings settings(SendingMemory sending) {
            Deadlines deadlines = options.deadlines();
            Predicate<UUID> isRemote = options.isRemote();
            return new Engine.Settings(
                    options.retries(),
                    operation -> sessions(operation, deadlines),
                    options.schemaTimeout(),
                    sending,
                    options.sessionsPerPeer(),
                    options.pinnedPercent(),
                    node -> DatabaseCall.asked("isRemote", () -> isRemote.test(node)),
                    result -> listener.ifPresent(calls -> calls.planEnded(result)),
                    listener.map(ActivityListener.class::cast).orElse(ActivityListener.NONE));
        }

        private SessionSettings sessions(Operation operation, Deadlines deadlines) {
            SessionSettings full = SessionSettings.of(options.connectionsPerHost(), deadlines);
            return operation.isBesideClients()
                    ? full.besideClients(Runtime.getRuntime().availableProcessors(), options.dutyBesideClients())
                    : full;
        }

        private Channel listen(Acceptor acceptor, Sockets sockets) throws IOException {
            ChannelFuture bound = sockets.transport()
                    .listen(
                            self.address(),
                            sockets.tuning(),
                            Connection.initializer(
                                    acceptor::next, sockets.security().map(tls -> tls::server)))
                    .awaitUninterruptibly();
            if (!bound.isSuccess()) {
                Throwable cause = bound.cause();
                throw new IOException(
                        "cannot listen on " + self.address() + ": "
                                + (cause instanceof UnresolvedAddressException
                                        ? "its host cannot be resolved"
                                        : cause.getMessage()),
                        cause);
            }
            SystemWords.warning().ifPresent(LOG::warn);
            LOG.info(
                    "node {} ({}) listens on {} by {}, {}",
                    self,
                    self.id(),
                    self.address(),
                    sockets.transport().kind(),
                    sockets.security().map(tls -> "TLS by " + tls.library()).orElse("plain text"));
            return bound.channel();
        }

        private void startTimers(NodeContext context, Workers workers, Sockets sockets, PeerAddresses peers) {
            Loop loop = context.environment().loop();
            every(loop, workers, STAGING_EXPIRY, () -> expire(context.staging()));
            context.staging().measure(Runnable::run); // recovery has just used the volumes: they answer
            loop.every(VOLUME_SAMPLES.toNanos(), () -> context.staging().measure(workers.disk()));
            sockets.security()
                    .map(CertificateReloader::new)
                    .ifPresent(watch -> every(loop, workers, CERTIFICATES, () -> watch.look(Instant.now())));
            every(loop, workers, PEERS_REFRESH, peers::refresh);
            options.foregroundLoad()
                    .map(load -> new ForegroundMonitor(load, context.throttles().foreground(), traffic, loop::nanoTime))
                    .ifPresent(monitor -> loop.every(BackPressure.INTERVAL.toNanos(), monitor::look));
        }

        private static void startSamples(Loop loop, Engine engine, ListenerCalls calls) {
            loop.every(SAMPLES.toNanos(), () -> calls.tick(engine.activity(), engine.waits(), loop.nanoTime()));
        }

        /** Runs a task now and periodically; it may block on the disk or on name resolution. */
        private static void every(Loop loop, Workers workers, Duration period, Runnable task) {
            RepeatedTask repeated = new RepeatedTask(workers.disk(), task);
            repeated.submit();
            loop.every(period.toNanos(), repeated::submit);
        }

        private static void expire(StagingArea staging) {
            try {
                staging.expire(System.currentTimeMillis(), System.nanoTime());
            } catch (IOException | StreamException e) {
                LOG.warn("cannot remove retained files of old transfers: {}", e.getMessage(), e);
            }
        }

        private <T extends AutoCloseable> T closedOnFailure(T part) {
            started.push(part);
            return part;
        }

        private void closeStarted(Throwable failure) {
            for (AutoCloseable part : started) {
                try {
                    part.close();
                } catch (Exception e) {
                    failure.addSuppressed(e);
                }
            }
        }
    }
}
