package io.sluice.harness.agent;

import io.sluice.harness.admin.VolumeStatus;
import io.sluice.harness.agent.AgentMessages.Arrivals;
import io.sluice.harness.agent.AgentMessages.DigestOrder;
import io.sluice.harness.agent.AgentMessages.Digests;
import io.sluice.harness.agent.AgentMessages.Fetch;
import io.sluice.harness.agent.AgentMessages.Imported;
import io.sluice.harness.agent.AgentMessages.LandedOrder;
import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.harness.agent.AgentMessages.SizeOrder;
import io.sluice.harness.agent.AgentMessages.Sizes;
import io.sluice.harness.agent.AgentMessages.Status;
import io.sluice.harness.agent.AgentMessages.StoredDigests;
import io.sluice.harness.cassandra.NodeJmx;
import io.sluice.harness.content.DigestWorkers;
import io.sluice.harness.store.DurableFile;
import io.sluice.netty.StreamOptions;
import io.sluice.netty.StreamingNode;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.token.TokenRange;
import io.sluice.streaming.Limit;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.progress.SessionProgress.TableProgress;
import io.sluice.streaming.progress.StreamActivity.VolumeSample;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An agent whose node has answered: serves peers and carries out requests of coordinators. Thread-safe. Long because
 * each request is carried out here.
 */
final class RunningAgent implements AutoCloseable {
    /** Shorter than a coordinator waits for an answer. */
    private static final Duration END_TIMEOUT = Duration.ofSeconds(10);

    /** 65,536 hashes are some 10 MB. */
    private static final int MAX_RANGES_READ_EARLY = 1 << 16;

    private final AgentSettings settings;
    private final UUID id;
    private final ManagedNode node;
    private final NodeLoad load;
    private final Snapshots snapshots;
    private final RebuildFile rebuild;
    private final Landings landings;
    private final StreamingNode engine;
    private final HookLease lease;
    private final AgentFetches fetches;
    private final AgentMetrics metrics;
    private final long configuredLimit;
    private final Tasks tasks = new Tasks();
    private final DigestWorkers digesting;
    private final ArrivedDigests arrived;
    private final CoordinatorFence fence = new CoordinatorFence();

    private RunningAgent(
            AgentSettings settings,
            UUID id,
            ManagedNode node,
            NodeLoad load,
            Snapshots snapshots,
            RebuildFile rebuild,
            Landings landings,
            Map<UUID, Fetch> orders,
            DigestWorkers digesting,
            ArrivedDigests arrived,
            StreamingNode engine) {
        this.settings = settings;
        this.id = id;
        this.node = node;
        this.load = load;
        this.snapshots = snapshots;
        this.rebuild = rebuild;
        this.landings = landings;
        this.engine = engine;
        this.fetches = new AgentFetches(
                new AgentFetches.Engine() {
                    @Override
                    public CompletableFuture<PlanResult> execute(StreamPlan plan) {
                        return engine.execute(plan);
                    }

                    @Override
                    public CompletableFuture<List<SessionProgress>> progress(UUID planId) {
                        return engine.progress(planId);
                    }

                    @Override
                    public CompletableFuture<List<TableProgress>> receivedTables(UUID planId) {
                        return engine.receivedTables(planId);
                    }

                    @Override
                    public List<VolumeSample> volumes() {
                        return engine.volumes();
                    }

                    @Override
                    public long limit() {
                        return engine.throughput(Limit.STREAM_THROUGHPUT_INBOUND);
                    }

                    @Override
                    public void pause(UUID planId) {
                        engine.pause(planId);
                    }

                    @Override
                    public void resume(UUID planId) {
                        engine.resume(planId);
                    }

                    @Override
                    public void cancel(UUID planId, String reason) {
                        engine.cancel(planId, reason);
                    }
                },
                orders);
        this.configuredLimit = engine.throughput(Limit.STREAM_THROUGHPUT_INBOUND);
        this.digesting = digesting;
        this.arrived = arrived;
        this.metrics = new AgentMetrics(engine, settings.yaml().endpoint());
        this.lease = HookLease.start(node.jmx(), settings.coordinatorTimeout());
    }

    /**
     * Starts beside a running node.
     *
     * @throws IOException if the node does not answer, a data directory is not there or cannot be used, or an address
     *     is in use
     */
    static RunningAgent start(AgentSettings settings, NodeJmx jmx, StreamOptions.Builder streaming) throws IOException {
        ManagedNode node = new ManagedNode(jmx);
        List<Path> homes = new ArrayList<>();
        settings.yaml().requireDataDirectories();
        for (Path directory : settings.yaml().dataDirectories()) {
            homes.add(Files.createDirectories(directory.resolve(".sluice")));
        }
        Snapshots snapshots = new Snapshots(node, new OperationFile(homes.get(0).resolve("operation.json")));
        Map<UUID, Fetch> orders = new ConcurrentHashMap<>();
        Landings landings = new Landings(node, homes, orders, ImportedFiles.onDisk());
        DigestWorkers digesting = new DigestWorkers(settings.digestThreads());
        ArrivedDigests arrived = new ArrivedDigests(digesting, orders, MAX_RANGES_READ_EARLY);
        AgentStore store = new AgentStore(node, homes, snapshots, landings, arrived);
        // Differs from the id of the Cassandra node, which changes when it joins.
        UUID id = settings.id().isPresent()
                ? settings.id().get()
                : id(homes.get(0).resolve("agent-id"));
        Node self = new Node(id, settings.streaming().toString(), settings.streaming(), List.of());
        NodeLoad load = new NodeLoad(node::counts, System::nanoTime);
        streaming.authorizer(store.authorizer());
        if (settings.isYielding()) {
            streaming.foregroundLoad(load::isOverloaded);
        }
        StreamingNode engine = StreamingNode.start(self, streaming.build(), store);
        if (settings.isYielding()) {
            load.start(() -> engine.counters().bytesSent() + engine.counters().bytesReceived());
        }
        RebuildFile rebuild = new RebuildFile(homes.get(0).resolve("rebuild.json"));
        return new RunningAgent(
                settings, id, node, load, snapshots, rebuild, landings, orders, digesting, arrived, engine);
    }

    /** The id in the file, or a new one. */
    private static UUID id(Path file) throws IOException {
        if (!Files.exists(file)) {
            DurableFile.write(file, UUID.randomUUID().toString());
        }
        String text = Files.readString(file).strip();
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": '" + text + "' (expected: the id of this agent, a UUID)", e);
        }
    }

    /** Its own, not that of its node. */
    UUID id() {
        return id;
    }

    /** As other agents see it. */
    Node self() {
        return new Node(id, settings.streaming().toString(), settings.streaming(), List.of());
    }

    ManagedNode node() {
        return node;
    }

    Snapshots snapshots() {
        return snapshots;
    }

    HookLease lease() {
        return lease;
    }

    AgentMetrics metrics() {
        return metrics;
    }

    Status status() throws IOException {
        OperationMode mode = node.operationMode(); // before the hook: a member whose hook is idle has never asked
        Optional<AgentMessages.Hook> hook = lease.hook();
        return new Status(
                self(),
                settings.yaml().endpoint(),
                node.release(),
                mode,
                node.schemaVersion(),
                settings.yaml().readsOa(),
                engine.volumes().stream().map(VolumeStatus::of).toList(),
                node.writeTimeoutMillis(),
                node.liveNodes(),
                node.unreachableNodes(),
                node.changingNodes(),
                node.tables(),
                hook,
                hook.isPresent() ? node.replaces(settings.yaml().storagePort()) : Optional.empty(),
                snapshots.pins(),
                node.datacenter(),
                rebuild.kept().map(RunningAgent::message));
    }

    private static AgentMessages.Rebuild message(RebuildFile.Kept kept) {
        return new AgentMessages.Rebuild(
                kept.operation(), Math.max(0, System.currentTimeMillis() - kept.begunMillis()), kept.marked());
    }

    /** Begins to rebuild the node, or goes on: it takes part in every write of its ranges, and imports as it is. */
    AgentMessages.Rebuild rebuild() throws IOException {
        OperationMode mode = node.operationMode();
        if (mode != OperationMode.NORMAL) {
            throw new IllegalArgumentException(
                    "the node is " + mode + " (expected: NORMAL, a member that is to be rebuilt)");
        }
        return message(rebuild.begin(node.startMillis(), System.currentTimeMillis()));
    }

    /** The rebuild is over; the limit is that of the settings again. */
    void endRebuild(UUID operation) throws IOException {
        engine.throughput(Limit.STREAM_THROUGHPUT_INBOUND, configuredLimit);
        rebuild.end(operation);
    }

    private void requireTakesData(UUID operation) throws IOException {
        if (!rebuild.is(operation.toString())) {
            lease.requireHold(operation.toString());
        }
    }

    Replicas replicas(String keyspace) throws IOException {
        return new Replicas(node.replicas(keyspace), node.pending(keyspace));
    }

    Sizes sizes(SizeOrder order) throws IOException {
        return new TableSizes(node).of(order);
    }

    /** Digests of the rows of ranges of a pinned table; decodes all of them. */
    Digests pinnedDigests(DigestOrder order) throws IOException {
        return digests(snapshots.open(order.operation(), order.table()), order.ranges());
    }

    /** Digests of the rows of ranges of a received table; decodes all of them. */
    Digests landedDigests(LandedOrder order) throws IOException {
        Digests read = digests(landings.open(order.planId(), order.table()), order.ranges());
        return new Digests(read.ranges(), read.sstables(), landings.bytes(order.planId(), order.table()));
    }

    private Digests digests(List<SSTable> sstables, List<TokenRange> ranges) throws IOException {
        return new Digests(digesting.rows(sstables, ranges), sstables.size(), bytes(sstables));
    }

    /** How ranges of a pinned table are stored, by the checksums that the node has written; decodes no row. */
    StoredDigests pinnedStored(DigestOrder order) throws IOException {
        List<SSTable> sstables = snapshots.open(order.operation(), order.table());
        return new StoredDigests(digesting.recorded(sstables, order.ranges()), sstables.size(), bytes(sstables));
    }

    /** How ranges of a received table are stored; reads every byte of them, decodes no row. */
    StoredDigests landedStored(LandedOrder order) throws IOException {
        List<SSTable> sstables = landings.open(order.planId(), order.table());
        return new StoredDigests(
                arrived.of(sstables, order.ranges()), sstables.size(), landings.bytes(order.planId(), order.table()));
    }

    private static long bytes(List<SSTable> sstables) {
        return sstables.stream().mapToLong(SSTable::bytesOnDisk).sum();
    }

    Tasks tasks() {
        return tasks;
    }

    AgentFetches fetches() {
        return fetches;
    }

    /** Starts a plan; not while another coordinator discards, or it would be received after that. */
    synchronized void fetch(Fetch order) {
        fence.require(order.coordinator());
        fetches.start(order);
    }

    /** Fetches nothing more for the operation that the node waits for, or is rebuilt by, or goes on. */
    void pause(AgentMessages.Pause order) throws IOException {
        requireTakesData(order.operation());
        if (order.isPaused()) {
            fetches.pause(order.operation());
        } else {
            fetches.resume(order.operation());
        }
    }

    /** Limits what is received for the operation that the node waits for, or is rebuilt by. */
    void throughput(AgentMessages.Throughput order) throws IOException {
        requireTakesData(order.operation());
        engine.throughput(Limit.STREAM_THROUGHPUT_INBOUND, order.bytesPerSecond());
    }

    /** The node goes on; then the limit is that of the settings again. */
    void letGo(AgentMessages.LetGo order) throws IOException {
        lease.order(hook -> {
            if (order.abortReason().isPresent()) {
                hook.abort(order.holdId(), order.abortReason().get());
            } else {
                hook.release(order.holdId());
            }
        });
        engine.throughput(Limit.STREAM_THROUGHPUT_INBOUND, configuredLimit);
    }

    /** The node has joined; if it went on by itself, the limit is that of the settings again. */
    void clearMarks() throws IOException {
        engine.throughput(Limit.STREAM_THROUGHPUT_INBOUND, configuredLimit);
        lease.order(hook -> hook.clearMarks());
    }

    Imported importLanded(AgentMessages.Import order) throws IOException {
        fence.require(order.coordinator());
        return landings.importAll(order);
    }

    void mark(AgentMessages.Mark order) throws IOException {
        fence.require(order.coordinator());
        if (rebuild.is(order.holdId())) {
            rebuild.mark(UUID.fromString(order.holdId()), node.startMillis(), order.keyspace(), order.ranges());
        } else {
            lease.order(hook -> hook.markAvailable(order.holdId(), order.keyspace(), order.ranges()));
        }
    }

    /** What is there of an operation: what is fetched, has landed, or is imported. */
    Arrivals arrivals(AgentMessages.ArrivalsOrder order) throws IOException {
        return new Arrivals(fetches.fetching(order.operation()), landings.landed(order.operation()));
    }

    /**
     * Refuses orders of an earlier coordinator from now on. Of operations that do not continue, ends what it started,
     * and removes what was received.
     *
     * @throws IOException if a plan does not end, or a file cannot be removed; may be repeated
     */
    synchronized void discard(AgentMessages.Discard order) throws IOException {
        fence.begin(order.coordinator());
        tasks.begin(order.coordinator());
        fetches.endAll("a coordinator discards what was received", END_TIMEOUT, order.keep());
        arrived.retainOrdered();
        landings.discard(
                order.keep(),
                order.keep().map(fetches::fetching).orElse(List.of()).isEmpty());
    }

    @Override
    public void close() {
        lease.close();
        tasks.close();
        engine.close();
        digesting.close();
        load.close();
        metrics.close();
        node.jmx().close();
    }
}
