package io.sluice.harness.scenario;

import io.sluice.harness.audit.Findings;
import io.sluice.harness.cluster.Cluster;
import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.config.Fault;
import io.sluice.harness.config.ScenarioFile.Operation;
import io.sluice.harness.content.TableFiles;
import io.sluice.harness.fault.SmallDisks;
import io.sluice.harness.load.LoadGenerator.Mix;
import io.sluice.harness.load.LoadTable;
import io.sluice.harness.report.RunReport.Check;
import io.sluice.harness.report.RunReport.LoadResult;
import io.sluice.harness.report.Step;
import io.sluice.harness.report.WorkProgress;
import io.sluice.harness.scenario.ScenarioException.Kind;
import io.sluice.harness.scenario.ScenarioOptions.Load;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.planner.Planner;
import io.sluice.streaming.planner.PlannerOptions;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.planner.SpansBySource;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/**
 * The main job: a cluster of processes, something is done to it, who gains data fetches it, and contents are compared.
 * Not thread-safe; used once. Long because its steps share the cluster and the report.
 */
final class ScenarioJob {
    private static final double NANOS_PER_SECOND = 1e9;

    private final ScenarioOptions options;
    private final WorkDirectory work;
    private final RunListeners listeners;
    private final ReportBuilder report;
    private final Cluster cluster;
    private final SmallDisks disks;
    private final RunningNodes nodes;
    private final ClusterNodes members;
    private final Map<TableRef, Ring> rings = new LinkedHashMap<>();
    private final Map<TableRef, List<Ring>> everRings = new LinkedHashMap<>();
    private Optional<FinalAudit.Scope> written = Optional.empty();

    /** @param running what processes and disks the run has; closed by whoever gave it */
    ScenarioJob(
            ScenarioOptions options,
            WorkDirectory work,
            Running running,
            RunListeners listeners,
            ReportBuilder report) {
        Cluster cluster = running.cluster();
        this.disks = running.disks();
        this.options = options;
        this.work = work;
        this.listeners = listeners;
        this.report = report;
        this.cluster = cluster;
        this.nodes = new RunningNodes(cluster, work.root());
        this.members = new ClusterNodes(options.shape(), cluster);
    }

    /** What outlives no run. */
    record Running(Cluster cluster, SmallDisks disks) {}

    /**
     * Checks what is asked for; makes, removes and starts nothing.
     *
     * @throws ScenarioException of kind {@link Kind#WRONG_USAGE} if it cannot begin
     */
    void requirePossible() throws IOException, ScenarioException {
        new DataPlacement(options, work, listeners, disks)
                .requirePossible(placed(new Ring(members.first(), members.replication())));
    }

    /** Runs from nothing to equal contents; whatever else is the end of it is an exception. */
    void run() throws IOException, InterruptedException, ScenarioException {
        List<Node> first = members.first();
        Ring tokens = new Ring(first, members.replication());
        Ring data = placed(tokens);
        DataPlacement placement = new DataPlacement(options, work, listeners, disks);
        List<TableFiles> files = placement.open(data);
        Map<TableRef, Path> ledgers = placement.ledgers(files);
        List<TableRef> tables = placement.give(files, data);
        report.tables(tables);
        for (TableRef table : tables) {
            rings.put(table, data);
            everRings.put(table, new ArrayList<>(List.of(data)));
        }
        Optional<ScenarioException> failure = Optional.empty();
        try {
            runOn(first, tokens, tables);
        } catch (ScenarioException e) {
            failure = Optional.of(e);
        } finally {
            cluster.close(); // what its nodes hold is read when they have ended
        }
        audit(files, ledgers, failure);
    }

    /** The last word, when all nodes have ended: also of a run that has failed, which must have done no harm. */
    private void audit(List<TableFiles> files, Map<TableRef, Path> ledgers, Optional<ScenarioException> failure)
            throws IOException, InterruptedException, ScenarioException {
        listeners.print("Reading the files of all nodes, against what was written");
        List<FinalAudit.Scope> scopes = new ArrayList<>();
        for (TableFiles table : files) {
            Ring now = rings.get(table.table());
            Path ledger = ledgers.get(table.table());
            if (now != null && ledger != null) {
                scopes.add(new FinalAudit.Scope(
                        table.table().toString(),
                        table.table().keyspace() + "/" + table.directory().getFileName(),
                        ledger,
                        now,
                        everRings.getOrDefault(table.table(), List.of()),
                        false));
            }
        }
        written.ifPresent(scopes::add);
        Findings findings = FinalAudit.run(scopes, failure.isPresent() ? incomplete() : List.of(), work.root());
        report.audited(findings);
        List<String> wrong = findings.holdings().stream()
                .filter(holding -> !holding.isRight())
                .map(Findings.Holding::toString)
                .toList();
        wrong.forEach(holding -> listeners.print("  WRONG: " + holding));
        if (!wrong.isEmpty()) {
            String before = failure.map(first -> first.getMessage() + "; and after that, ")
                    .orElse("");
            String sentence = before + "the files of the nodes are not what was written: " + wrong.get(0)
                    + (wrong.size() == 1 ? "" : " (and " + (wrong.size() - 1) + " more)");
            throw failure.isPresent()
                    ? new ScenarioException(Kind.FAILED, sentence, failure.get())
                    : new ScenarioException(Kind.FAILED, sentence);
        }
        listeners.print("  " + findings.expected() + " partitions at " + findings.nodes() + " nodes, all as written");
        if (failure.isPresent()) {
            throw failure.get();
        }
    }

    private void runOn(List<Node> first, Ring tokens, List<TableRef> tables)
            throws IOException, InterruptedException, ScenarioException {
        start(first);
        try (LiveLoads load = load(tokens);
                FaultSchedule faults = new FaultSchedule(
                        options.faults().faults(), nodes, disks.all(), cluster.networks(), this::withFaults)) {
            change(tables, load, faults);
        }
    }

    private LiveLoads load(Ring tokens) throws IOException, InterruptedException {
        LiveLoads loads = new LiveLoads();
        if (options.load().isPresent()) {
            Load load = options.load().get();
            LiveLoad.Clients clients =
                    new LiveLoad.Clients(load, Mix.of(load.writesPerSecond()), InstantSource.system());
            loads.add(LiveLoad.start(LoadTable.DEFAULT, clients, tokens, nodes.all(), work.root()))
                    .awaitFirst();
        }
        return loads;
    }

    private void change(List<TableRef> tables, LiveLoads load, FaultSchedule faults)
            throws IOException, InterruptedException, ScenarioException {
        Map<TableRef, Ring> before = Map.copyOf(rings);
        Changes changes = new Changes(options, members);
        try {
            for (Optional<Changes.Step> step = changes.next(rings); step.isPresent(); step = changes.next(rings)) {
                carryOut(step.get(), load, faults);
            }
        } catch (ScenarioException e) {
            healFaults(load, faults);
            requireNoHarm(verify(tables, rings, rings, true, incomplete()), e);
            throw e;
        }
        healFaults(load, faults);
        List<LoadResult> found = load.ask(one -> one.finish(listeners));
        found.forEach(report::loaded);
        written = load.ask(LiveLoad::scope).stream().findFirst();
        boolean isAboutAll = options.operation() == Operation.REBUILD || options.operation() == Operation.REPAIR;
        List<Check> checks = verify(tables, before, rings, isAboutAll, List.of());
        if (checks.isEmpty()) {
            throw new ScenarioException(
                    Kind.FAILED, "nothing has changed hands, so nothing was compared (expected: another cluster)");
        }
        requireEqual(checks);
        requireNothingMissing(found);
    }

    /**
     * Plans what {@link #run()} would stream in each step, from the same data, without starting a node; nothing for a
     * repair.
     */
    List<TopologyPlan> plans() throws IOException, ScenarioException {
        if (options.operation() == Operation.REPAIR) {
            return List.of();
        }
        Ring ring = placed(new Ring(members.first(), members.replication()));
        List<TableFiles> tables = new DataPlacement(options, work, listeners, disks).open(ring);
        tables.forEach(table -> rings.put(table.table(), ring));
        Changes changes = new Changes(options, members);
        List<TopologyPlan> plans = new ArrayList<>();
        for (Optional<Changes.Step> next = changes.next(rings); next.isPresent(); next = changes.next(rings)) {
            TopologyChange change = next.get().change();
            Map<TableRef, Map<Node, List<SSTableSpan>>> spans = new LinkedHashMap<>();
            for (TableFiles table : tables) {
                spans.putAll(Distribution.spans(List.of(table), ringOf(table.table())));
            }
            plans.add(Planner.plan(change, rings, new SpansBySource(spans), PlannerOptions.DEFAULTS.cuttingSSTables()));
            rings.replaceAll(
                    (table, before) -> RingChange.pending(change, table, before).settled());
        }
        return plans;
    }

    private Ring ringOf(TableRef table) {
        return Optional.ofNullable(rings.get(table)).orElseThrow();
    }

    private Ring placed(Ring tokens) {
        return options.operation() == Operation.TABLET_MIGRATION
                ? tokens.with(members.tablets(tokens.nodes()))
                : tokens;
    }

    private void start(List<Node> first) throws IOException, InterruptedException {
        listeners.print("Starting " + first.size() + " nodes: "
                + first.stream().map(node -> node + " at " + node.address()).collect(Collectors.joining(", ")));
        report.joined(first);
        nodes.start(first);
    }

    private void carryOut(Changes.Step step, LiveLoads load, FaultSchedule faults)
            throws IOException, InterruptedException, ScenarioException {
        if (step.killed().isPresent()) {
            Node victim = step.killed().get();
            listeners.print("Killing " + victim + " (SIGKILL)");
            report.role(victim, "dead");
            nodes.kill(victim);
            load.each(one -> one.lost(victim));
        }
        if (step.started().isPresent()) {
            Node joining = step.started().get();
            boolean isStandIn = step.killed().isPresent();
            listeners.print(
                    "Starting " + joining + " at " + joining.address() + (isStandIn ? " in its place" : " to join"));
            report.role(joining, isStandIn ? "replacement" : "joining");
            report.joined(List.of(joining));
            NodeProcess started = nodes.start(List.of(joining)).get(0);
            load.each(one -> one.started(started));
        }
        if (step.change() instanceof TopologyChange.Decommission decommission) {
            report.role(decommission.leaving(), "leaving");
        }
        TopologyChange change = options.operation() == Operation.REPAIR ? repair() : step.change();
        load.each(one -> one.changing(change));
        rings.forEach((table, ring) -> everRings
                .computeIfAbsent(table, any -> new ArrayList<>())
                .add(RingChange.pending(change, table, ring).settled()));
        attempt(change, load, faults);
        rings.replaceAll(
                (table, ring) -> RingChange.pending(change, table, ring).settled());
        load.each(LiveLoad::changed);
    }

    private void attempt(TopologyChange change, LiveLoads load, FaultSchedule faults)
            throws IOException, InterruptedException, ScenarioException {
        for (int retry = 0; ; retry++) {
            Map<TableRef, Ring> all = new LinkedHashMap<>(rings);
            all.putAll(load.tables());
            report.changeBegins(retry + 1, all.keySet());
            Outcome outcome = new ChangeExecution(nodes, faults, listeners, report).run(change, all);
            Optional<ScenarioException> failure = outcome.failure();
            if (failure.isEmpty()) {
                return;
            }
            if (retry >= options.faults().retries()) {
                throw failure.get();
            }
            withFaults("failed: " + failure.get().getMessage());
            healFaults(load, faults);
            withFaults("begun again");
        }
    }

    /** Ends all faults; who was killed by one comes back with what is on its disk. */
    private void healFaults(LiveLoads load, FaultSchedule faults) throws IOException, InterruptedException {
        for (Fault late : faults.takeWaiting()) {
            withFaults(late + ": left out, the operation had ended before");
        }
        faults.healAll();
        for (Node killed : faults.takeKilled()) {
            listeners.print("Starting " + killed + " again");
            for (NodeProcess back : nodes.start(List.of(killed))) {
                load.each(one -> one.started(back));
            }
        }
    }

    private void withFaults(String what) {
        withFaults(new FaultSchedule.Event(what, Optional.empty()));
    }

    private void withFaults(FaultSchedule.Event what) {
        listeners.print("! " + what.text());
        report.mark(what);
    }

    private TopologyChange repair() throws IOException {
        List<TopologyChange.Difference> differences = new ArrayList<>();
        AtomicReference<Step> step = new AtomicReference<>(new Step("comparing", 0, 0, "ranges"));
        try (WorkProgress progress = WorkProgress.of(step::get)) {
            Differences compared = Differences.among(nodes.alive(), step::set);
            for (Map.Entry<TableRef, Ring> table : rings.entrySet()) {
                Differences.Found found = compared.find(table.getKey(), table.getValue());
                progress.aside(() -> listeners.print("Compared " + found.ranges() + " ranges of " + table.getKey()
                        + ": " + found.differentParts() + " small parts of them differ"));
                differences.addAll(found.differences());
            }
        }
        return new TopologyChange.Repair(differences, true);
    }

    /** Who did not hold all of its ranges when the run began. */
    private List<Node> incomplete() {
        List<Node> all = rings.values().iterator().next().nodes();
        return switch (options.operation()) {
            case REBUILD -> Changes.rebuilt(options, all);
            case REPAIR -> List.of(all.get(all.size() - 1));
            default -> List.of();
        };
    }

    private List<Check> verify(
            List<TableRef> tables,
            Map<TableRef, Ring> before,
            Map<TableRef, Ring> after,
            boolean all,
            List<Node> without)
            throws IOException, InterruptedException {
        listeners.print("Comparing what nodes hold, range by range");
        long began = System.nanoTime();
        List<ContentVerification.Scope> scopes = new ArrayList<>();
        for (TableRef table : tables) {
            Ring old = before.get(table);
            Ring now = after.get(table);
            if (old != null && now != null) {
                scopes.add(new ContentVerification.Scope(table, old, now, all, without));
            }
        }
        List<Check> checks = new ArrayList<>();
        try (ShownComparison shown = new ShownComparison(listeners, check -> {
            checks.add(check);
            report.compared(checks, (System.nanoTime() - began) / NANOS_PER_SECOND);
        })) {
            new ContentVerification(nodes.alive(), nodes.left()).run(scopes, shown);
        }
        return checks;
    }

    private static void requireEqual(List<Check> checks) throws ScenarioException {
        Optional<String> difference = difference(checks);
        if (difference.isPresent()) {
            throw new ScenarioException(Kind.FAILED, "verification failed: " + difference.get());
        }
    }

    /** What failed must have done no harm: who held something before still does. The first cause is reported first. */
    private static void requireNoHarm(List<Check> checks, ScenarioException cause) throws ScenarioException {
        Optional<String> difference = difference(checks);
        if (difference.isPresent()) {
            throw new ScenarioException(
                    Kind.FAILED,
                    cause.getMessage() + "; and after that, verification of what was there before failed: "
                            + difference.get(),
                    cause);
        }
    }

    private static Optional<String> difference(List<Check> checks) {
        List<Check> different = checks.stream().filter(check -> !check.equal()).toList();
        if (different.isEmpty()) {
            return Optional.empty();
        }
        int others = different.size() - 1;
        return Optional.of(different.get(0) + (others == 0 ? "" : " (and " + others + " more ranges)"));
    }

    private static void requireNothingMissing(List<LoadResult> found) throws ScenarioException {
        for (LoadResult load : found) {
            if (load.missing() > 0) {
                throw new ScenarioException(
                        Kind.FAILED,
                        load.missing() + " acknowledged writes are missing: " + String.join("; ", load.examples()));
            }
        }
    }
}
