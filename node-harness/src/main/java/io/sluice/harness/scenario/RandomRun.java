package io.sluice.harness.scenario;

import io.sluice.harness.audit.Findings;
import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.cluster.ProcessCounts;
import io.sluice.harness.config.Fault;
import io.sluice.harness.config.ScenarioFile.Operation;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.load.Consistency;
import io.sluice.harness.load.LoadGenerator.Mix;
import io.sluice.harness.load.LoadTable;
import io.sluice.harness.load.LoadVerification;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.RunReport.Check;
import io.sluice.harness.report.RunReport.LoadResult;
import io.sluice.harness.scenario.FaultSchedule.Scheduled;
import io.sluice.harness.scenario.ScenarioOptions.Dataset;
import io.sluice.harness.scenario.ScenarioOptions.Load;
import io.sluice.harness.soak.RandomReport;
import io.sluice.harness.soak.RandomReport.Held;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Four or five nodes that clients write to, to which random things are done, one operation after the other: each with
 * no fault or some, and now and then with a change of the schema meanwhile. In the end everything is looked for where
 * it should be. Choices come from a seed; what they meet does not, as processes and clients run freely. Used once; not
 * thread-safe.
 */
public final class RandomRun {
    private static final Logger LOG = LoggerFactory.getLogger(RandomRun.class);
    private static final int NODES = 4;
    private static final int REPLICAS = 3;
    // Each node of a run has a number, and an address of its own.
    private static final int LAST_NODE = 240;
    private static final Load STEADY = new Load(120, Consistency.QUORUM);
    private static final Load CHANGING = new Load(60, Consistency.QUORUM);
    private static final int DELETION_ONE_IN = 20;
    private static final List<Fault.Kind> KINDS =
            List.of(Fault.Kind.KILL, Fault.Kind.KILL, Fault.Kind.TERMINATE, Fault.Kind.FREEZE, Fault.Kind.CUT);
    private static final int VALUE_LENGTH = 200;
    private static final double NANOS_PER_SECOND = 1e9;

    private final WorkDirectory work;
    private final SluiceConfig config;
    private final RunListeners listeners;
    private final SplittableRandom random;
    private final long seed;
    private final long bytes;
    private final long beganNanos = System.nanoTime();
    private final List<RandomReport.Operation> operations = new ArrayList<>();
    private final Map<NodeProcess, Held> held = new LinkedHashMap<>();
    private int made = NODES;
    private int tables;

    /**
     * A run that is about to begin.
     *
     * @param config of the nodes; they compact by size, whatever it says
     * @param bytes of data besides what clients write
     */
    public RandomRun(WorkDirectory work, SluiceConfig config, long bytes, long seed, RunListeners listeners) {
        this.work = work;
        this.config = config.with(Map.of("compaction", "size_tiered"));
        this.bytes = bytes;
        this.seed = seed;
        this.listeners = listeners;
        this.random = new SplittableRandom(seed);
    }

    private ScenarioOptions given() {
        return ScenarioOptions.replace(NODES, REPLICAS, new Dataset.Generated(bytes));
    }

    /**
     * Checks that there is room for the data, before anything is made or removed.
     *
     * @throws ScenarioException of kind {@link ScenarioException.Kind#WRONG_USAGE} if not
     */
    public void requirePossible() throws IOException, ScenarioException {
        ScenarioRun.requirePossible(given(), work, config, listeners);
    }

    /**
     * Runs as long as it is asked to, and compares.
     *
     * @param listener told of each operation
     * @return also if something failed on the way
     */
    public RandomReport run(Duration lasts, Consumer<RandomReport.Operation> listener)
            throws IOException, InterruptedException, ScenarioException {
        for (int number = 1; number <= LAST_NODE; number++) {
            work.clear("node" + number);
        }
        try (LiveCluster cluster = LiveCluster.start(given(), work, config, listeners)) {
            Thread hook = new Thread(() -> cancel(cluster), "sluice-cancel");
            Runtime.getRuntime().addShutdownHook(hook);
            try {
                return run(cluster, lasts, listener);
            } finally {
                forget(hook);
            }
        }
    }

    private RandomReport run(LiveCluster cluster, Duration lasts, Consumer<RandomReport.Operation> listener)
            throws IOException, InterruptedException {
        Optional<String> failure = Optional.empty();
        try {
            create(cluster, "steady", STEADY).awaitFirst();
            LiveLoad changing = create(cluster, "changing0", CHANGING).awaitFirst();
            while (System.nanoTime() - beganNanos < lasts.toNanos()) {
                changing = operate(cluster, changing, listener);
                note(cluster);
            }
        } catch (ScenarioException | IOException | RuntimeException e) {
            LOG.error("the run ends early", e);
            failure = Optional.of(String.valueOf(e.getMessage()));
        }
        return judge(cluster, failure);
    }

    private LiveLoad create(LiveCluster cluster, String name, Load load) throws IOException {
        UUID id = new UUID(seed << 16 | ++tables, 0x8440_cfee_5840_10adL);
        Mix mix = new Mix(load.writesPerSecond(), VALUE_LENGTH, DELETION_ONE_IN);
        return cluster.create(LoadTable.named(name, id), load, mix);
    }

    /** One operation; the table whose schema may change in the next one. */
    private LiveLoad operate(LiveCluster cluster, LiveLoad changing, Consumer<RandomReport.Operation> listener)
            throws IOException, InterruptedException, ScenarioException {
        Operation operation = choose(cluster.ring().nodes().size());
        Changes.Step step = step(operation, cluster);
        List<Fault> faults = faults();
        List<LiveLoad> latest = new ArrayList<>(List.of(changing));
        Optional<Scheduled> schema = schemaChange(cluster, latest);
        long began = System.nanoTime();
        LiveCluster.Carried carried =
                cluster.carryOut(step, faults, schema.map(List::of).orElse(List.of()));
        RandomReport.Operation done = new RandomReport.Operation(
                operations.size() + 1,
                name(operation)
                        + carried.exitCode()
                                .map(code -> " (left, exit code " + code + ")")
                                .orElse(""),
                (began - beganNanos) / NANOS_PER_SECOND,
                (System.nanoTime() - began) / NANOS_PER_SECOND,
                carried.attempts(),
                faults.size(),
                schema.map(Scheduled::what).orElse(""),
                carried.events(),
                carried.isUnexplained());
        operations.add(done);
        listener.accept(done);
        return latest.get(latest.size() - 1);
    }

    private Operation choose(int nodes) {
        List<Operation> possible = new ArrayList<>(List.of(Operation.MOVE, Operation.REPAIR, Operation.REBUILD));
        if (nodes > NODES) {
            possible.addAll(List.of(Operation.DECOMMISSION, Operation.DECOMMISSION, Operation.REMOVENODE));
        } else if (made < LAST_NODE) {
            possible.addAll(List.of(Operation.BOOTSTRAP, Operation.BOOTSTRAP));
        }
        if (made < LAST_NODE) {
            possible.addAll(List.of(Operation.REPLACE, Operation.REPLACE));
        }
        return possible.get(random.nextInt(possible.size()));
    }

    private Changes.Step step(Operation operation, LiveCluster cluster) throws IOException {
        List<Node> all = cluster.ring().nodes();
        Node one = all.get(random.nextInt(all.size()));
        return switch (operation) {
            case BOOTSTRAP -> {
                made++;
                Node joining = cluster.members().joiningNode(cluster.ring());
                yield new Changes.Step(
                        new TopologyChange.Bootstrap(joining, random.nextBoolean()),
                        Optional.empty(),
                        Optional.of(joining));
            }
            case REPLACE -> {
                made++;
                Node replacement = cluster.members().replacement(one);
                yield new Changes.Step(
                        new TopologyChange.Replace(one, replacement), Optional.of(one), Optional.of(replacement));
            }
            case REMOVENODE -> new Changes.Step(new TopologyChange.RemoveNode(one), Optional.of(one), Optional.empty());
            case DECOMMISSION -> Changes.Step.of(new TopologyChange.Decommission(one));
            case MOVE ->
                Changes.Step.of(new TopologyChange.Move(one, List.of(ClusterNodes.elsewhere(cluster.ring(), one))));
            case REBUILD ->
                Changes.Step.of(
                        new TopologyChange.Rebuild(List.of(one), TokenRanges.FULL, TopologyChange.SourceFilter.ANY));
            case REPAIR -> Changes.Step.of(cluster.repair());
            case TABLET_MIGRATION -> throw new AssertionError("tables of this run have no tablets");
        };
    }

    private List<Fault> faults() {
        List<Fault> faults = new ArrayList<>();
        int chance = random.nextInt(100);
        for (int count = chance < 50 ? 0 : chance < 85 ? 1 : 2; count > 0; count--) {
            Fault.Kind kind = KINDS.get(random.nextInt(KINDS.size()));
            String node = random.nextBoolean() ? Fault.SOURCE : Fault.RECEIVER;
            boolean isForGood = kind == Fault.Kind.KILL || kind == Fault.Kind.TERMINATE;
            Optional<Integer> lasts = isForGood ? Optional.empty() : Optional.of(random.nextInt(1, 5));
            faults.add(new Fault(kind, random.nextInt(0, 90) / 100.0, node, Optional.empty(), lasts, Optional.empty()));
        }
        return faults;
    }

    /** Of every third operation; what is created anew is added to {@code latest}. */
    private Optional<Scheduled> schemaChange(LiveCluster cluster, List<LiveLoad> latest) {
        int chance = random.nextInt(100);
        double at = random.nextInt(1, 90) / 100.0;
        LiveLoad changing = latest.get(0);
        if (chance >= 35) {
            return Optional.empty();
        }
        if (chance < 15) {
            return Optional.of(new Scheduled(at, "truncate " + changing.table(), () -> cluster.truncate(changing)));
        }
        String name = chance < 25 ? changing.table().name() : "changing" + tables;
        return Optional.of(new Scheduled(at, "drop " + changing.table() + ", create " + name, () -> {
            cluster.drop(changing);
            latest.add(create(cluster, name, CHANGING));
        }));
    }

    /** What processes hold now, when nothing is streamed. */
    private void note(LiveCluster cluster) throws IOException {
        Map<NodeProcess, Held> now = new LinkedHashMap<>();
        for (NodeProcess process : cluster.nodes().all()) {
            ProcessCounts counts = process.counts();
            Held before = held.get(process);
            now.put(
                    process,
                    new Held(
                            process.node().name(),
                            before == null ? 0 : before.operations() + 1,
                            before == null ? counts.descriptors() : before.firstDescriptors(),
                            counts.descriptors(),
                            before == null ? counts.threads() : before.firstThreads(),
                            counts.threads()));
        }
        held.clear();
        held.putAll(now);
    }

    private RandomReport judge(LiveCluster cluster, Optional<String> failure) throws IOException, InterruptedException {
        double seconds = (System.nanoTime() - beganNanos) / NANOS_PER_SECOND;
        long writes = 0;
        long missing = 0;
        List<Check> checks = List.of();
        List<String> wrong = new ArrayList<>();
        long partitions = 0;
        if (failure.isEmpty()) {
            listeners.print("Looking for every acknowledged write at each of its replicas");
            for (LoadResult load : cluster.finishWrites()) {
                writes += load.acknowledged();
                missing += load.missing();
                wrong.addAll(load.examples());
            }
            listeners.print("Comparing digests of all replicas");
            checks = cluster.compare();
            checks.stream().filter(check -> !check.equal()).forEach(check -> wrong.add(check.toString()));
            listeners.print("Reading the files of all nodes, against what was written");
            Findings findings = cluster.audit();
            partitions = findings.expected();
            findings.holdings().stream()
                    .filter(holding -> !holding.isRight())
                    .forEach(holding -> wrong.add(holding.toString()));
        } else {
            listeners.print("Looking for every acknowledged write at any node");
            try {
                for (LoadVerification.Outcome found : cluster.findWritesAnywhere()) {
                    writes += found.keys();
                    missing += found.missing();
                    wrong.addAll(found.examples());
                }
            } catch (IOException e) {
                wrong.add("writes were not looked for: " + e.getMessage());
            }
        }
        return new RandomReport(
                seed,
                ByteFormat.text(bytes),
                seconds,
                operations,
                writes,
                missing,
                checks.size(),
                (int) checks.stream().filter(Check::equal).count(),
                partitions,
                wrong,
                List.copyOf(held.values()),
                failure);
    }

    private void cancel(LiveCluster cluster) {
        cluster.abandon();
        listeners.cancelled().run();
    }

    private static String name(Operation operation) {
        return operation.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static void forget(Thread hook) throws InterruptedException {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            LOG.info("cancelled");
            hook.join();
        }
    }
}
