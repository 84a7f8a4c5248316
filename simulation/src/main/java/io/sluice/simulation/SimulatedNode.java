package io.sluice.simulation;

import io.sluice.streaming.Limit;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.access.AccessControl;
import io.sluice.streaming.access.Audit;
import io.sluice.streaming.access.Holds;
import io.sluice.streaming.engine.Engine;
import io.sluice.streaming.engine.receive.ReceivingResources;
import io.sluice.streaming.guard.GuardedStore;
import io.sluice.streaming.install.CompletePlans;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.StagingArea;
import io.sluice.streaming.install.StagingLimits;
import io.sluice.streaming.log.PeerLog;
import io.sluice.streaming.memory.MemoryBudget;
import io.sluice.streaming.memory.MemoryPool;
import io.sluice.streaming.memory.PeerShares;
import io.sluice.streaming.memory.SendingMemory;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.metrics.Traffic;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.runtime.Environment;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.runtime.SerialExecutors;
import io.sluice.streaming.runtime.TaskQueue;
import io.sluice.streaming.session.SessionSettings;
import io.sluice.streaming.store.NodeIdentities;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.throttle.Throttles;
import io.sluice.streaming.transfer.SourceRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A node: its disk, its database, and its process, which may die and restart. The process runs the production engine on
 * a loop, a network and workers in virtual time. Long because a node has all that a process can lose in a crash, and
 * the parts that outlive it.
 */
final class SimulatedNode {
    private static final long RESTART_NANOS = 3_000_000_000L;
    private static final MemoryBudget BUDGET = new MemoryBudget(64 << 20);
    /** Larger than the number of connections: with a single thread, a wait for a permit would never end. */
    private static final int OPEN_FILES = 256;

    private static final int SESSIONS_PER_PEER = 16;
    private static final int PINNED_PERCENT = 50;
    private static final long LEAST_LIMIT = 4_000;

    final World world;
    final String name;
    final Node node;
    final SimulatedDisk disk;
    /** Bytes per second. */
    private final Map<Limit, Long> limits;

    private final SimulatedDatabase database;
    private final List<OrderedPlan> plans = new ArrayList<>();
    private int lives;
    private boolean isDead;
    private long stuckUntilNanos;
    private @Nullable Running process;

    /** The state of one run of the process. */
    private record Running(
            SimulatedLoop loop,
            Engine engine,
            StagingArea staging,
            SimulatedWorkers disk,
            SimulatedWorkers installs,
            SentBytes sent) {}

    /** The process is down until {@link #open}. */
    SimulatedNode(World world, String name, SimulatedDatabase.Maker database) {
        this.world = world;
        this.name = name;
        this.node = new Node(world.newUuid(), name, new Address(name, 1), List.of());
        this.disk = new SimulatedDisk(world.random.split());
        disk.onDelete(file -> world.invariants.deleted(this, file));
        this.limits = limits(world);
        this.database = database.make(this);
    }

    private static Map<Limit, Long> limits(World world) {
        Map<Limit, Long> limits = new EnumMap<>(Limit.class);
        if (world.hasLimits) {
            limits.put(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, limit(world));
            limits.put(Limit.STREAM_THROUGHPUT_OUTBOUND, limit(world));
            limits.put(Limit.SESSION_STREAM_THROUGHPUT_OUTBOUND, limit(world));
        }
        return limits;
    }

    private static long limit(World world) {
        return LEAST_LIMIT << world.shape.nextInt(6);
    }

    /** Whether the current process is still alive; false for ever once it has died. */
    BooleanSupplier alive() {
        int now = lives;
        return () -> !isDead && lives == now;
    }

    boolean isDead() {
        return isDead;
    }

    /** The staging directories that its process has and trusts. */
    Set<Path> trustedVolumes() {
        return staging().map(this::trusted).orElse(Set.of());
    }

    private Set<Path> trusted(StagingArea staging) {
        Set<Path> volumes = new HashSet<>();
        database.store().volumes().forEach(volume -> volumes.add(volume.stagingDirectory()));
        volumes.removeAll(staging.failedVolumes().keySet());
        return volumes;
    }

    /** Whether its process is down, or still starting. */
    boolean isDown() {
        return isDead || process == null;
    }

    /** Opens the staging area, which recovers; retries until it succeeds, as an operator would. */
    void open() {
        try {
            start();
        } catch (IOException | StreamException e) {
            world.note(name, "does not start: " + e.getMessage());
            if (disk.isCrashed()) {
                die(world.happens(world.faults.of(FaultRates.Kind.POWER_LOSS)));
                return;
            }
            if (world.isQuiesced() && !Injected.isIn(e)) {
                throw world.violation(name + ": does not start: " + e.getMessage());
            }
            disk.die(false);
            database.die();
            world.scheduler.after(RESTART_NANOS, alive(), this::open);
        } catch (Crash e) {
            die(world.happens(world.faults.of(FaultRates.Kind.POWER_LOSS)));
        }
    }

    private void start() throws IOException {
        Life life = new Life(world, this, alive());
        SimulatedLoop loop = new SimulatedLoop(life);
        LongSupplier clock = loop::nanoTime;
        GuardedStore store = new GuardedStore(world.seams.store(this, database.store()));
        Disk files = world.seams.disk(this, disk);
        StagingArea staging = StagingArea.open(
                store,
                files,
                new StagingArea.Options(
                        new SimulatedSSTableCheck(this),
                        StagingLimits.DEFAULTS,
                        Optional.of(node.id()),
                        world::newUuid));
        database.restart();
        world.invariants.starts(name, trusted(staging));
        CompletePlans complete = CompletePlans.open(files, staging.root(), node.id());
        SimulatedWorkers workers = new SimulatedWorkers(life);
        SimulatedWorkers installs = new SimulatedWorkers(life);
        PeerLog log = new PeerLog(clock);
        AccessControl access = new AccessControl(
                new AccessControl.Rules(
                        node.id(), "sim", NodeIdentities.byAlternativeName(), false, chain -> Optional.empty()),
                world.seams.authorizer(),
                new AccessControl.Notes(new Holds(Holds.Rules.DEFAULTS, clock), new Audit(event -> {}, clock), log),
                new AccessControl.Questions(
                        question -> world.seams.ask(this, question), (nanos, task) -> loop.after(nanos, task)::cancel));
        PeerShares inventory = new PeerShares(new MemoryPool("inventory", BUDGET.inventoryBytes()));
        NodeContext context = new NodeContext(
                node,
                new Environment(
                        loop,
                        new SimulatedNetwork(life),
                        new TaskQueue(workers, clock),
                        new TaskQueue(installs, clock),
                        world::newUuid),
                store,
                staging,
                new SerialExecutors(),
                new Throttles(limits, loop.nanoTime()),
                inventory,
                access,
                new Traffic(),
                log,
                Simulation.DEADLINES);
        Engine engine = new Engine(
                context,
                files,
                database.offering(),
                new ReceivingResources(
                        BUDGET, 0, OPEN_FILES, SESSIONS_PER_PEER, length -> ByteBuffer.allocate(0), workers),
                complete,
                new Engine.Settings(
                        world.seams.retries(),
                        operation -> sessionSettings(),
                        Duration.ofSeconds(2),
                        SendingMemory.of(BUDGET, false, inventory),
                        SESSIONS_PER_PEER,
                        PINNED_PERCENT,
                        peer -> false,
                        world.seams::finished,
                        world.seams.activity()));
        process = new Running(loop, engine, staging, workers, installs, new SentBytes(limits, loop.nanoTime()));
        plans.forEach(plan -> plan.begin(engine, life));
    }

    private SessionSettings sessionSettings() {
        int connections = 1 + world.random.nextInt(3);
        return world.seams.sessions(new SessionSettings(
                connections,
                connections + world.random.nextInt(2),
                512,
                2 + world.random.nextInt(3),
                100, // time passes while it waits, not while it works
                Simulation.DEADLINES));
    }

    /** Runs a task of the process, which may kill the process. */
    void work(Runnable task) {
        try {
            task.run();
        } catch (Crash e) {
            // The disk knows, too: code on the way that catches everything cannot keep the process alive.
            world.note(name, String.valueOf(e.getMessage()));
        }
        if (disk.isCrashed() && !isDead) {
            die(world.happens(world.faults.of(FaultRates.Kind.POWER_LOSS)));
        }
    }

    /** Kills the process; its peers may or may not be notified. */
    void die(boolean powerToo) {
        world.note(name, powerToo ? "loses power" : "is killed");
        isDead = true;
        lives++;
        process = null;
        for (Wire wire : world.wires()) {
            if (wire.client.node == this || wire.server.node == this) {
                boolean isNoticed = !powerToo && world.random.nextInt(4) > 0;
                wire.cut("connection reset by " + name, isNoticed && wire.client.node != this, isNoticed);
            }
        }
        plans.forEach(OrderedPlan::die);
        disk.die(powerToo);
        database.die();
        if (world.hasDamage && !world.isQuiesced()) {
            damageStaging();
        }
        world.scheduler.after(world.restartNanos(RESTART_NANOS), () -> true, () -> {
            if (isDead) {
                restart();
            }
        });
    }

    /** Changes a byte of a file in staging that is in no committed set. */
    private void damageStaging() {
        try {
            List<Path> files = new ArrayList<>();
            for (TableStore.Volume volume : database.store().volumes()) {
                Path staging = volume.stagingDirectory();
                for (Path plan : disk.isDirectory(staging) ? disk.listQuietly(staging) : List.<Path>of()) {
                    for (Path set : disk.isDirectory(plan) ? disk.listQuietly(plan) : List.<Path>of()) {
                        if (disk.isDirectory(set)
                                && !disk.exists(set.resolve("commit"))
                                && !disk.exists(set.resolve("commit-part"))) {
                            files.addAll(disk.listQuietly(set));
                        }
                    }
                }
            }
            files.removeIf(file -> disk.isDirectory(file) || !disk.hasBytes(file));
            if (!files.isEmpty()) {
                Path victim = files.get(world.shape.nextInt(files.size()));
                world.note(name, "a byte of " + victim + " goes bad");
                disk.damage(victim);
            }
        } catch (IOException e) {
            throw world.violation(name + ": its staging directory is gone: " + e.getMessage());
        }
    }

    void restart() {
        world.note(name, "starts again");
        isDead = false;
        open();
    }

    /** An operator restarts the node some time after it reported that it no longer trusts its disk. */
    void diskFailed() {
        boolean hasOthers =
                staging().filter(staging -> staging.untrustedReason().isEmpty()).isPresent();
        if (hasOthers && world.volumes.nextInt(3) > 0) {
            world.note(name, "continues without a volume");
            return;
        }
        world.note(name, "no longer trusts its disk");
        world.scheduler.after(world.random.nextLong(RESTART_NANOS), alive(), () -> die(false));
    }

    /** Restarts the node if its disk failed, before a plan is retried. */
    void restartIfDiskFailed() {
        if (staging().filter(staging -> !staging.failedVolumes().isEmpty()).isPresent()) {
            die(false);
        }
    }

    /** The process does nothing for its peers for so long, though its loop runs. */
    void stick(long nanos) {
        world.note(name, "makes no progress for " + nanos / 1_000_000_000L + " s, but sends heartbeats");
        stuckUntilNanos = world.scheduler.nowNanos() + nanos;
    }

    /** The process works for its peers again; what it began before still takes its time. */
    void unstick() {
        stuckUntilNanos = 0;
    }

    long stuckNanos() {
        return Math.max(0, stuckUntilNanos - world.scheduler.nowNanos());
    }

    /** Grows with each operation of the disk and the database, also across restarts. */
    long changes() {
        return disk.operations() + database.changes();
    }

    SimulatedDatabase database() {
        return database;
    }

    Optional<StagingArea> staging() {
        return Optional.ofNullable(process).map(Running::staging);
    }

    /** Timers of the process that have neither fired nor been cancelled. */
    int timers() {
        return process == null ? 0 : process.loop().timers();
    }

    Optional<Engine> engine() {
        return Optional.ofNullable(process).map(Running::engine);
    }

    /** Whether a call of its disk or its database hangs for minutes. */
    boolean isHanging() {
        return process != null
                && (process.disk().isHanging() || process.installs().isHanging());
    }

    /** Executes a plan, now if the node is up, and again after each crash until it has ended. */
    OrderedPlan execute(ReceivingDatabase receiver, io.sluice.streaming.plan.StreamPlan plan) {
        OrderedPlan ordered = new OrderedPlan(this, receiver, plan);
        plans.add(ordered);
        world.invariants.wanted(plan);
        engine().ifPresent(engine -> ordered.begin(engine, new Life(world, this, alive())));
        return ordered;
    }

    /** Handles a connection that sent hello; returns empty if it is accepted. */
    Optional<StreamException> accept(Wire wire) {
        Engine engine = engine().orElseThrow();
        try {
            Message.Hello hello = wire.hello;
            wire.server.listen(engine.accept(wire.server, hello, ""));
            return Optional.empty();
        } catch (StreamException e) {
            wire.server.close();
            return Optional.of(e);
        }
    }

    private void sent(long lengthBytes) {
        if (process != null) {
            process.sent().add(lengthBytes, world.scheduler.nowNanos()).ifPresent(why -> {
                throw world.violation(name + ": " + why);
            });
        }
    }

    /** The bytes of a region to send. */
    byte[] region(SourceRegion piece) throws IOException {
        if (!disk.exists(piece.file())) {
            throw world.violation(name + ": " + piece.file() + " was removed before the receiver had it installed");
        }
        sent(piece.lengthBytes());
        int from = Math.toIntExact(piece.offset());
        return Arrays.copyOfRange(disk.content(piece.file()), from, from + Math.toIntExact(piece.lengthBytes()));
    }

    @Override
    public String toString() {
        return name;
    }
}
