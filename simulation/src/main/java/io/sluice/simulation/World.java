package io.sluice.simulation;

import io.sluice.streaming.message.Message;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What all parts of one run share: clock, chance, nodes, connections, and what was written down. Not thread-safe. */
class World {
    /** What every table's schema is at first. */
    static final long FIRST_SCHEMA = 1;

    private static final int MAX_TRACE_LINES = 20_000;
    private static final long SLOW_NANOS = 12_000_000_000L;

    Scheduler scheduler = new Scheduler();
    final SplittableRandom random;
    /** Draws what seeds did not have at first, so that the others are the same runs as before. */
    final SplittableRandom shape;

    /** Whether SSTables span sections of the ring, so that parts of them are wanted. */
    final boolean hasParts;

    /** Whether the production planner makes the plans. */
    final boolean isPlanned;

    /** Whether sources lie in what they say, not just in how much they offer. */
    final boolean hasLiars;

    /** Whether files in staging go bad while a node is down. */
    final boolean hasDamage;

    /** Whether tasks of a source take seconds, as preparing many slices does. */
    final boolean hasSlowSources;

    private final SplittableRandom slowness;

    /** Draws what becomes of data volumes. */
    final SplittableRandom volumes;

    /** How many volumes each receiver has. */
    int receiverVolumes = 1;

    /** Whether nodes limit what they send. */
    final boolean hasLimits;

    final List<TableRef> tables = new ArrayList<>();
    final Map<UUID, SimulatedNode> nodes = new TreeMap<>();
    /** What each node may have, by its plans. */
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

    /** @param without kinds of faults that do not happen, though the seed has drawn them */
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
        this.isTraced = isTraced;
        FaultRates drawn = FaultRates.draw(random);
        for (FaultRates.Kind kind : without) {
            drawn = drawn.without(kind);
        }
        this.faults = drawn;
    }

    /** Notes that a promise was broken: whoever throws it may be one whose caller catches everything. */
    Violation violation(String what) {
        Violation made = new Violation(what);
        if (violation == null) {
            violation = made;
        }
        return made;
    }

    /** Ends the run if a promise was broken. */
    void requireNoViolation() {
        if (violation != null) {
            throw violation;
        }
    }

    /** A version-4-like id from the seed. */
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

    /** Whether this happens now. */
    boolean happens(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    /** How long a task of a source takes at least. */
    long slowNanos() {
        return hasSlowSources && !isQuiesced && slowness.nextInt(3) == 0 ? slowness.nextLong(SLOW_NANOS) : 0;
    }

    /** Whether what a source says now is not true. */
    boolean isLie() {
        double rate = hasLiars ? faults.of(FaultRates.Kind.LIE) : 0;
        return rate > 0 && shape.nextDouble() < rate;
    }

    void note(String who, String what) {
        hash = hash * 31 + what.hashCode() + scheduler.nowNanos();
        if (isTraced && trace.size() < MAX_TRACE_LINES) {
            trace.add(String.format("%10.3f s  %-10s %s", scheduler.nowNanos() / 1e9, who, what));
        }
    }

    List<String> trace() {
        return trace;
    }

    /** Equal for equal runs. */
    long hash() {
        return hash;
    }

    /** @param hello what the first says to the second */
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

    /** No new faults from now on. */
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
