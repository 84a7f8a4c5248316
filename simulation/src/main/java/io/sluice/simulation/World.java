package io.sluice.simulation;

import io.sluice.streaming.message.Message;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What all parts of one run share: clock, randomness, nodes, connections and trace. Not thread-safe. */
class World {
    /** The initial schema version of every table. */
    static final long FIRST_SCHEMA = 1;

    private static final int MAX_TRACE_LINES = 20_000;
    private static final long SLOW_NANOS = 12_000_000_000L;
    private static final long BUSY_NANOS = 200_000_000;
    private static final int AHEAD_BYTES = 50_000;

    Scheduler scheduler = new Scheduler();
    final SplittableRandom random;
    /** Randomness for choices that were added later, so that older seeds keep their runs. */
    final SplittableRandom shape;

    /** Whether SSTables span sections of the ring, so that plans want parts of them. */
    final boolean hasParts;

    /** Whether the production planner makes the plans. */
    final boolean isPlanned;

    /** Whether sources make false statements, beyond offering too much. */
    final boolean hasLiars;

    /** Whether files in staging are damaged while a node is down. */
    final boolean hasDamage;

    /** Whether tasks of a source take seconds, like the preparation of many slices. */
    final boolean hasSlowSources;

    private final SplittableRandom slowness;

    /** Whether the loop of a node is busy for a while before it runs a submitted task. */
    private final boolean hasBusyLoops;

    /** Randomness for delays of loops and faults of installs. */
    final SplittableRandom loops;

    /** Randomness for faults of data volumes. */
    final SplittableRandom volumes;

    /** Number of volumes of each receiver. */
    int receiverVolumes = 1;

    /** Bytes of temporary files that a source may prepare ahead of a receiver. */
    final long aheadBytes;

    /** Whether nodes limit what they send. */
    final boolean hasLimits;

    final List<TableRef> tables = new ArrayList<>();
    final Map<UUID, SimulatedNode> nodes = new TreeMap<>();
    /** The ranges that each node may have, by plan. */
    final Map<String, Map<UUID, List<RingSection>>> planned = new TreeMap<>();

    final Oracle oracle = new Oracle(this);
    final ProtocolInvariants invariants = new ProtocolInvariants(this);
    Seams seams = new Seams();
    FaultRates faults;

    private boolean isQuiesced;
    private @Nullable Violation violation;
    private final Set<Wire> wires = new LinkedHashSet<>();
    private final Map<String, Long> stalledUntil = new TreeMap<>();
    private final boolean isTraced;
    private final List<String> trace = new ArrayList<>();
    private long hash = 1;

    /** @param without kinds of faults to leave out, though the seed has drawn them */
    World(long seed, Set<FaultRates.Kind> without, boolean isTraced) {
        this.random = new SplittableRandom(seed);
        this.shape = new SplittableRandom(~seed);
        this.hasParts = shape.nextBoolean();
        this.isPlanned = shape.nextInt(3) == 0;
        this.hasLimits = shape.nextInt(3) == 0;
        this.hasLiars = shape.nextInt(4) == 0;
        this.hasDamage = shape.nextInt(4) == 0;
        this.slowness = new SplittableRandom(seed * 31);
        this.hasSlowSources = hasParts && slowness.nextInt(4) == 0;
        this.volumes = new SplittableRandom(seed * 37 + 11);
        this.loops = new SplittableRandom(seed * 41 + 17);
        this.hasBusyLoops = loops.nextInt(4) == 0;
        this.aheadBytes = aheadBytes(new SplittableRandom(seed * 43 + 19));
        this.isTraced = isTraced;
        FaultRates drawn = FaultRates.draw(random);
        for (FaultRates.Kind kind : without) {
            drawn = drawn.without(kind);
        }
        this.faults = drawn;
    }

    /** In a quarter of the runs one SSTable, in another as much as a node that has a large disk. */
    private static long aheadBytes(SplittableRandom ahead) {
        int bytes = ahead.nextInt(AHEAD_BYTES);
        return switch (ahead.nextInt(4)) {
            case 0 -> 1;
            case 1 -> 1L << 30;
            default -> bytes;
        };
    }

    /** Records that an invariant was broken: the caller that throws it may run in code that catches everything. */
    Violation violation(String what) {
        Violation made = new Violation(what);
        if (violation == null) {
            violation = made;
        }
        return made;
    }

    /** Ends the run if an invariant was broken. */
    void requireNoViolation() {
        if (violation != null) {
            throw violation;
        }
    }

    /** A UUID in the form of version 4, from the seed. */
    UUID newUuid() {
        return new UUID(random.nextLong(), random.nextLong());
    }

    SimulatedNode node(Node node) {
        SimulatedNode found = nodes.get(node.id());
        if (found == null) {
            throw new IllegalStateException("no such node: " + node);
        }
        return found;
    }

    /** Whether an event of this probability happens now. */
    boolean happens(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    /** Minimum duration of a task of a source. */
    long slowNanos() {
        return hasSlowSources && !isQuiesced && slowness.nextInt(3) == 0 ? slowness.nextLong(SLOW_NANOS) : 0;
    }

    /** How long a loop is busy before it runs a submitted task. */
    long busyNanos() {
        return hasBusyLoops && !isQuiesced && loops.nextInt(4) == 0 ? loops.nextLong(BUSY_NANOS) : 0;
    }

    /** Whether a sync of the next install fails: chance alone would hit one too seldom. */
    boolean failsSyncOfInstall() {
        return faults.of(FaultRates.Kind.DISK_ERROR) > 0 && loops.nextInt(4) == 0;
    }

    /** How long a node is down; shorter where the new process should find its source still serving the previous one. */
    long restartNanos(long usual) {
        return hasSlowSources && !isQuiesced ? 1 + slowness.nextLong(usual) : usual;
    }

    /** Whether the next statement of a source is false. */
    boolean isLie() {
        double rate = hasLiars ? faults.of(FaultRates.Kind.LIE) : 0;
        return rate > 0 && shape.nextDouble() < rate;
    }

    void note(String who, String what) {
        hash = hash * 31 + what.hashCode() + scheduler.nowNanos();
        if (isTraced && trace.size() < MAX_TRACE_LINES) {
            trace.add(String.format(Locale.ROOT, "%10.3f s  %-10s %s", scheduler.nowNanos() / 1e9, who, what));
        }
    }

    List<String> trace() {
        return trace;
    }

    /** Equal for equal runs. */
    long hash() {
        return hash;
    }

    /** @param hello first message, from the first to the second */
    Wire connect(SimulatedNode from, SimulatedNode to, Message.Hello hello) {
        Wire wire = new Wire(this, from, to, hello);
        wires.add(wire);
        return wire;
    }

    void closed(Wire wire) {
        if (wire.isOver()) {
            wires.remove(wire);
        }
    }

    List<Wire> wires() {
        wires.removeIf(Wire::isOver);
        return List.copyOf(wires);
    }

    private static String pair(SimulatedNode a, SimulatedNode b) {
        return a.name.compareTo(b.name) < 0 ? a.name + "|" + b.name : b.name + "|" + a.name;
    }

    void stall(SimulatedNode a, SimulatedNode b, long nanos) {
        stalledUntil.put(pair(a, b), scheduler.nowNanos() + nanos);
    }

    /** Stops injecting faults. */
    void quiesce() {
        stalledUntil.clear();
        faults = FaultRates.NONE;
        isQuiesced = true;
    }

    boolean isQuiesced() {
        return isQuiesced;
    }

    boolean isStalled(SimulatedNode a, SimulatedNode b) {
        return stalledUntil.getOrDefault(pair(a, b), 0L) > scheduler.nowNanos();
    }
}
