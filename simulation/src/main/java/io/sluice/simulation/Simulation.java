package io.sluice.simulation;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.Deadlines;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One run of a cluster, from one seed: first the fault phase, then a quiesced phase in which every plan must end.
 * Checks the invariants after every event. Long because each kind of fault begins here. Used once; not thread-safe.
 */
public final class Simulation {
    static final Deadlines DEADLINES = new Deadlines(
            Duration.ofSeconds(5),
            Duration.ofSeconds(30),
            Duration.ofSeconds(60),
            Duration.ofSeconds(60),
            Duration.ofSeconds(120));
    static final long TICK_NANOS = 2_500_000_000L;

    private static final long SECOND = 1_000_000_000L;
    private static final long PATIENCE_SECONDS = 600;
    private static final long MAX_STEPS = 1_000_000;
    /** Longer than any deadline of its peers. */
    private static final long STUCK_NANOS = 200 * SECOND;

    private static final long EPOCH = 5;
    private static final long LAST_EPOCH = 9;

    private final long seed;
    private final World world;
    private final List<SourceDatabase> sources = new ArrayList<>();
    private final List<ReceivingDatabase> receivers = new ArrayList<>();
    private final List<OrderedPlan> plans = new ArrayList<>();
    private List<TokenRange> ring = List.of();
    private @Nullable PlannedRing planned;
    private boolean isDiskGood;
    private @Nullable SchemaChanges schema;
    private final Map<ReceivingDatabase, Long> checked = new HashMap<>();

    /**
     * The outcome of a run. Immutable.
     *
     * @param violation the invariant that was broken; empty if none was
     * @param trace a line for each event that changed something; empty unless requested
     * @param hash equal for equal runs
     * @param steps number of events
     * @param simulatedSeconds duration on the simulated clock
     */
    public record Result(
            long seed,
            Optional<String> violation,
            List<String> trace,
            long hash,
            long steps,
            double simulatedSeconds) {}

    /**
     * Prepares a run.
     *
     * @param isTraced whether to record a trace
     */
    public Simulation(long seed, boolean isTraced) {
        this(seed, Set.of(), isTraced);
    }

    private Simulation(long seed, Set<FaultRates.Kind> without, boolean isTraced) {
        this.seed = seed;
        this.world = new World(seed, without, isTraced);
    }

    /**
     * Repeats the run of a failing seed with a trace, and without each kind of fault that the failure does not need.
     *
     * @return a failing run; the first line of its trace lists the remaining faults
     */
    public static Result shrink(long seed) {
        Set<FaultRates.Kind> without = EnumSet.noneOf(FaultRates.Kind.class);
        for (FaultRates.Kind kind : FaultRates.Kind.values()) {
            without.add(kind);
            if (new Simulation(seed, without, false).run().violation().isEmpty()) {
                without.remove(kind);
            }
        }
        return new Simulation(seed, without, true).run();
    }

    /** Runs to the end, or to the first violation. */
    public Result run() {
        Optional<String> violation = Optional.empty();
        try {
            build();
            injectFaults();
            quiesce();
            checkEnd();
        } catch (Violation e) {
            violation = Optional.of(String.valueOf(e.getMessage()));
        } catch (IOException | RuntimeException e) {
            violation = Optional.of("unexpected error: " + e + " at "
                    + List.of(e.getStackTrace()).stream().limit(6).toList());
        }
        violation.ifPresent(what -> world.note("VIOLATION", what));
        return new Result(
                seed,
                violation,
                world.trace(),
                world.hash(),
                world.scheduler.steps(),
                world.scheduler.nowNanos() / (double) SECOND);
    }

    private void build() {
        SplittableRandom random = world.random;
        world.note("seed " + seed, world.faults.toString());
        isDiskGood = world.faults.of(FaultRates.Kind.DISK_ERROR) == 0;
        for (int i = 0; i <= random.nextInt(3); i++) {
            world.tables.add(new TableRef(world.newUuid(), "ks", "t" + i));
        }
        for (int i = 0; i < 2 + random.nextInt(4); i++) {
            sources.add((SourceDatabase) add("source" + i, SourceDatabase::new));
        }
        world.receiverVolumes = world.volumes.nextInt(3) == 0 ? 2 + world.volumes.nextInt(2) : 1;
        for (int i = 0; i <= random.nextInt(2); i++) {
            receivers.add((ReceivingDatabase) add("receiver" + i, ReceivingDatabase::new));
        }
        planned = world.isPlanned ? PlannedRing.draw(world.shape, sources, receivers, world) : null;
        ring = planned == null ? RingSections.draw(random) : planned.sections();
        world.nodes.values().forEach(SimulatedNode::open);
        Map<UUID, List<List<SourceDatabase>>> replicas = new HashMap<>();
        for (TableRef table : world.tables) {
            for (int i = 0; i < ring.size(); i++) {
                replicas.computeIfAbsent(table.id(), id -> new ArrayList<>()).add(fill(table, i));
            }
        }
        if (world.hasParts) {
            sources.forEach(this::spanSections);
        }
        schema = new SchemaChanges(world, sources, receivers);
        for (ReceivingDatabase receiver : receivers) {
            StreamPlan plan = planned == null ? plan(receiver, replicas) : planned(planned, receiver);
            plans.add(receiver.process.execute(receiver, plan));
            for (int i = random.nextInt(6) - 2; i > 0; i--) {
                competingCoordinator(receiver, plan);
            }
        }
        if (world.happens(world.faults.of(FaultRates.Kind.STUCK))) {
            SimulatedNode source = sources.get(random.nextInt(sources.size())).process();
            TableRef table = world.tables.get(random.nextInt(world.tables.size()));
            new StuckReceiver(world, receivers.get(0).process, source, table).start();
        }
    }

    /**
     * Starts a competing coordinator, which presumes the first one dead, or was presumed dead itself; for all of the
     * plan, or for other sections of the ring.
     */
    private void competingCoordinator(ReceivingDatabase receiver, StreamPlan plan) {
        long epoch = EPOCH + world.random.nextInt(5) - 2;
        TokenRanges some = world.random.nextBoolean()
                ? TokenRanges.FULL
                : TokenRanges.of(ring.get(world.random.nextInt(ring.size())));
        List<StreamRequest> requests = within(plan.requests(), some);
        if (requests.isEmpty()) {
            return;
        }
        StreamPlan competing =
                new StreamPlan(world.newUuid(), plan.operation(), requests, within(plan.alternates(), some), epoch);
        long start = world.random.nextLong(world.faults.seconds() * SECOND + 1);
        world.scheduler.after(start, () -> true, () -> plans.add(receiver.process.execute(receiver, competing)));
    }

    private static List<StreamRequest> within(List<StreamRequest> requests, TokenRanges some) {
        return requests.stream()
                .filter(request -> !request.ranges().intersection(some).isEmpty())
                .map(request -> new StreamRequest(
                        request.source(), request.table(), request.ranges().intersection(some)))
                .toList();
    }

    /** The same plan, as another operation. */
    private StreamPlan of(StreamPlan plan, long epoch) {
        return new StreamPlan(world.newUuid(), plan.operation(), plan.requests(), plan.alternates(), epoch);
    }

    private SimulatedDatabase add(String name, SimulatedDatabase.Maker database) {
        SimulatedNode node = new SimulatedNode(world, name, database);
        world.nodes.put(node.node.id(), node);
        return node.database();
    }

    /** Gives some nodes the same rows of one range, each in its own SSTables. */
    private List<SourceDatabase> fill(TableRef table, int number) {
        SplittableRandom random = world.random;
        List<SimulatedRow> history = new ArrayList<>();
        for (int i = random.nextInt(12); i > 0; i--) {
            long token = RingSections.token(ring.get(number), random);
            for (int version = 0; version <= random.nextInt(3); version++) {
                boolean isDeleted = version > 0 && random.nextInt(3) == 0;
                history.add(new SimulatedRow(
                        token, history.size(), isDeleted ? SimulatedRow.DELETED : random.nextInt(1_000)));
            }
        }
        world.oracle.isTrue(table.id(), Rows.visible(history));
        List<SourceDatabase> chosen = planned == null ? drawn(random) : planned.holders(ring.get(number), sources);
        for (SourceDatabase replica : chosen) {
            if (random.nextInt(3) == 0) {
                replica.add(table.id(), Rows.purged(history));
            } else {
                spread(replica, table, history);
            }
        }
        return chosen;
    }

    private List<SourceDatabase> drawn(SplittableRandom random) {
        List<SourceDatabase> others = new ArrayList<>(sources);
        List<SourceDatabase> chosen = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0 && !others.isEmpty(); i--) {
            chosen.add(others.remove(random.nextInt(others.size())));
        }
        return chosen;
    }

    private StreamPlan planned(PlannedRing made, ReceivingDatabase receiver) {
        StreamPlan plan = made.plan(receiver, world.tables, world.newUuid(), EPOCH);
        made.wrongWith(plan, receiver, world.tables, sources).ifPresent(why -> {
            throw world.violation(why);
        });
        for (TableRef table : world.tables) {
            world.planned
                    .computeIfAbsent(receiver.name, name -> new HashMap<>())
                    .put(table.id(), RingSection.of(made.wanted(receiver)));
        }
        return plan;
    }

    /** Merges some of its tables into one SSTable each, of which plans want a part. */
    private void spanSections(SourceDatabase source) {
        for (TableRef table : world.tables) {
            if (world.shape.nextInt(3) > 0) {
                source.compact(table.id(), TokenRanges.FULL);
            }
        }
    }

    /** Puts older versions into older SSTables. */
    private void spread(SourceDatabase replica, TableRef table, List<SimulatedRow> history) {
        int sstables = 1 + world.random.nextInt(3);
        List<List<SimulatedRow>> parts = new ArrayList<>();
        for (int i = 0; i < sstables; i++) {
            parts.add(new ArrayList<>());
        }
        for (SimulatedRow row : history) {
            List<SimulatedRow> part = parts.get(world.random.nextInt(sstables));
            part.removeIf(other -> other.token() == row.token());
            part.add(row);
        }
        parts.forEach(part -> replica.add(table.id(), part));
    }

    private StreamPlan plan(ReceivingDatabase receiver, Map<UUID, List<List<SourceDatabase>>> replicas) {
        List<StreamRequest> alternates = new ArrayList<>();
        Map<List<Object>, TokenRanges> wanted = new HashMap<>();
        List<List<Object>> order = new ArrayList<>();
        int unwanted = world.random.nextInt(2 * ring.size()); // not all of a table, as a rule
        for (TableRef table : world.tables) {
            for (int i = 0; i < ring.size(); i++) {
                if (i == unwanted && ring.size() > 1) {
                    continue;
                }
                List<SourceDatabase> holders =
                        replicas.getOrDefault(table.id(), List.of()).get(i);
                TokenRanges range = TokenRanges.of(ring.get(i));
                List<Object> key = List.of(holders.get(0), table);
                if (wanted.merge(key, range, TokenRanges::union).equals(range)) {
                    order.add(key);
                }
                for (SourceDatabase spare : holders.subList(1, holders.size())) {
                    alternates.add(new StreamRequest(spare.process().node, table, range));
                }
                world.planned
                        .computeIfAbsent(receiver.name, name -> new HashMap<>())
                        .computeIfAbsent(table.id(), id -> new ArrayList<>())
                        .addAll(RingSection.of(List.of(ring.get(i))));
            }
        }
        List<StreamRequest> requests = new ArrayList<>();
        for (List<Object> key : order) {
            SourceDatabase source = (SourceDatabase) key.get(0);
            requests.add(new StreamRequest(
                    source.process().node, (TableRef) key.get(1), wanted.getOrDefault(key, TokenRanges.NONE)));
        }
        return new StreamPlan(world.newUuid(), Operation.BOOTSTRAP, requests, alternates, EPOCH);
    }

    private void injectFaults() throws IOException {
        long end = world.scheduler.nowNanos() + world.faults.seconds() * SECOND;
        while (world.scheduler.nowNanos() < end) {
            long until = world.scheduler.nowNanos() + SECOND / 10;
            while (world.scheduler.step(until)) {
                check();
            }
            injectFault();
            check();
        }
    }

    /** Injects the faults of a tenth of a second. */
    private void injectFault() {
        FaultRates faults = world.faults;
        for (Wire wire : world.wires()) {
            if (world.happens(faults.of(FaultRates.Kind.CUT) / 10)) {
                world.note("network", "cuts a connection of " + wire.client.node + " and " + wire.server.node);
                wire.cut("connection reset", true, true);
            } else if (world.happens(faults.of(FaultRates.Kind.HALF_OPEN) / 10)) {
                world.note("network", "loses a connection of " + wire.client.node + " and " + wire.server.node);
                wire.cut("connection reset", world.random.nextBoolean(), world.random.nextBoolean());
            }
        }
        for (SourceDatabase source : sources) {
            SimulatedNode process = source.process();
            if (!process.isDead() && world.happens(faults.of(FaultRates.Kind.SENDER_DIES) / 10)) {
                process.die(world.happens(faults.of(FaultRates.Kind.POWER_LOSS)));
            }
            if (!process.isDead() && world.happens(faults.of(FaultRates.Kind.STUCK) / 100)) {
                process.stick(world.random.nextLong(STUCK_NANOS));
            }
            if (world.hasParts) { // else nothing is written there
                process.disk.injectFaults(faults.of(FaultRates.Kind.DISK_ERROR), capacity(world.shape));
            }
            if (world.happens(faults.of(FaultRates.Kind.BIT_ROT) / 10)) {
                source.damage();
            }
            if (world.happens(faults.of(FaultRates.Kind.COMPACTION) / 10) && !world.tables.isEmpty()) {
                source.compact(
                        world.tables
                                .get(world.random.nextInt(world.tables.size()))
                                .id(),
                        compacted());
            }
            for (ReceivingDatabase receiver : receivers) {
                if (world.happens(faults.of(FaultRates.Kind.STALL) / 10)) {
                    world.note("network", "stalls between " + source + " and " + receiver.name);
                    world.stall(process, receiver.process, world.random.nextLong(60 * SECOND));
                }
            }
        }
        if (world.happens(faults.of(FaultRates.Kind.SCHEMA) / 10)) {
            schema().happen();
        }
        receivers.forEach(this::injectFault);
    }

    private long capacity(SplittableRandom random) {
        double full = world.faults.of(FaultRates.Kind.DISK_FULL);
        return full > 0 && random.nextDouble() < full ? 1 + random.nextInt(5_000) : Long.MAX_VALUE;
    }

    private TokenRanges compacted() {
        TokenRanges one = TokenRanges.of(ring.get(world.random.nextInt(ring.size())));
        return world.hasParts && world.shape.nextBoolean() ? TokenRanges.FULL : one;
    }

    private SchemaChanges schema() {
        return Objects.requireNonNull(schema, "before it was built");
    }

    private void injectFault(ReceivingDatabase receiver) {
        FaultRates faults = world.faults;
        SimulatedNode process = receiver.process;
        receiver.simulatedVolumes().injectFault(world);
        if (process.isDead()) {
            return;
        }
        receiver.disk.injectFaults(faults.of(FaultRates.Kind.DISK_ERROR), capacity(world.random));
        if (world.happens(faults.of(FaultRates.Kind.RECEIVER_DIES) / (world.hasSlowSources ? 4 : 10))) {
            if (world.random.nextBoolean()) {
                receiver.disk.crashAfter(1 + world.random.nextInt(60)); // in the middle of what it does next
            } else {
                process.die(world.happens(faults.of(FaultRates.Kind.POWER_LOSS)));
            }
        }
        if (world.happens(faults.of(FaultRates.Kind.COMPACTION) / 10)) {
            TableRef table = world.tables.get(world.random.nextInt(world.tables.size()));
            try {
                receiver.compact(table);
            } catch (IOException e) {
                throw world.violation(receiver.name + ": live data cannot be read: " + e.getMessage());
            }
        }
        List<OrderedPlan> own =
                plans.stream().filter(plan -> plan.receiver == receiver).toList();
        if (world.happens(faults.of(FaultRates.Kind.PAUSE) / 10)) {
            own.forEach(OrderedPlan::pause);
        }
        double cancels = faults.of(FaultRates.Kind.CANCEL) / 10;
        if (world.happens(cancels)) {
            own.forEach(OrderedPlan::cancel);
        }
        own.forEach(plan -> plan.cancelInAPause(cancels));
    }

    /** Runs after every event; checks only what an event has changed. */
    private void check() {
        world.requireNoViolation();
        if (world.scheduler.steps() > MAX_STEPS) {
            throw world.violation("after " + MAX_STEPS + " events the run has not ended");
        }
        for (ReceivingDatabase receiver : receivers) {
            long changes = receiver.process.changes() + world.oracle.changes();
            if (changes != checked.getOrDefault(receiver, -1L)) {
                checked.put(receiver, changes);
                world.oracle.check(receiver);
            }
        }
        plans.forEach(OrderedPlan::checkCancelled);
    }

    /** Stops all faults: everything must end, and whatever failed must succeed with a new plan. */
    private void quiesce() throws IOException {
        world.note("world", "quiesces");
        boolean isSchemaChanging = world.faults.of(FaultRates.Kind.SCHEMA) > 0;
        world.quiesce();
        world.nodes.values().forEach(node -> node.disk.injectFaults(0, Long.MAX_VALUE));
        receivers.forEach(receiver -> receiver.simulatedVolumes().heal());
        world.nodes.values().forEach(SimulatedNode::unstick);
        plans.forEach(OrderedPlan::resume);
        await(plans);
        world.nodes.values().forEach(SimulatedNode::restartIfDiskFailed);
        if (isSchemaChanging) { // which is no fault, but to the table that it happens to
            world.scheduler.after(world.random.nextLong(SECOND), () -> true, schema()::happen);
        }
        for (OrderedPlan plan : plans) { // one after the other: they may want the same
            if (isSchemaChanging || !plan.result().map(PlanResult::isComplete).orElse(false)) {
                OrderedPlan again = plan.node.execute(plan.receiver, of(plan.plan, LAST_EPOCH));
                await(List.of(again));
                again.result()
                        .ifPresent(result -> result.tables().forEach(table -> {
                            if (!table.installed() && !isExcused(table)) {
                                throw world.violation("failed although no more faults are injected: " + table);
                            }
                        }));
            }
        }
    }

    /** Whether the failure is permitted: damage at the only source is permanent, and so is a dropped table. */
    private boolean isExcused(PlanResult.TableResult table) {
        ErrorCode why = table.failure().orElseThrow().code();
        UUID id = table.table().id();
        return why == ErrorCode.CORRUPT_AT_SOURCE
                ? sources.stream().anyMatch(source -> source.isDamaged(id))
                : schema().excuses(id, why);
    }

    private void await(List<OrderedPlan> running) throws IOException {
        long end = world.scheduler.nowNanos() + PATIENCE_SECONDS * SECOND;
        while (!running.stream().allMatch(plan -> plan.result().isPresent())) {
            if (!world.scheduler.step(end)) {
                throw world.violation("a plan did not end within " + PATIENCE_SECONDS + " s after the last fault");
            }
            check();
        }
    }

    private void checkEnd() throws IOException {
        long end = world.scheduler.nowNanos() + 500 * SECOND; // for the last deadlines of peers that were not notified
        while (world.scheduler.step(end)) {
            check();
        }
        world.requireNoViolation();
        for (ReceivingDatabase receiver : receivers) {
            world.oracle.check(receiver);
            world.oracle.checkLiveFiles(receiver);
            world.oracle.checkNothingIsLeft(receiver);
            receiver.process.die(true); // promises must survive this
            receiver.process.restart();
            world.oracle.check(receiver);
            world.oracle.checkNothingIsLeftOfDroppedTables(receiver);
        }
        for (SourceDatabase source : sources) {
            world.oracle.checkNothingIsLeft(source.process(), source);
            if (isDiskGood) { // else a folder that could not be removed waits for the next start
                world.oracle.checkNoSlices(source);
            }
            source.process().die(false);
            source.process().restart();
            world.oracle.checkNoSlices(source);
        }
        world.requireNoViolation();
    }
}
