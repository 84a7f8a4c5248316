package io.sluice.harness.scenario;

import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.AdminException;
import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.audit.Findings;
import io.sluice.harness.audit.LedgerWriter;
import io.sluice.harness.cluster.Cluster;
import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.cluster.OrphanedProcesses;
import io.sluice.harness.config.Fault;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.content.TableFiles;
import io.sluice.harness.fault.SmallDisks;
import io.sluice.harness.load.LoadGenerator.Mix;
import io.sluice.harness.load.LoadTable;
import io.sluice.harness.load.LoadVerification;
import io.sluice.harness.report.RunReport.Check;
import io.sluice.harness.report.RunReport.Environment;
import io.sluice.harness.report.RunReport.LoadResult;
import io.sluice.harness.report.RunReport.Result;
import io.sluice.harness.scenario.FaultSchedule.Scheduled;
import io.sluice.harness.scenario.ScenarioException.Kind;
import io.sluice.harness.scenario.ScenarioOptions.Load;
import io.sluice.harness.soak.RandomReport;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A cluster of processes that clients write to, while its ring and its tables change and things go wrong, as often as
 * somebody likes; in the end everything that was written has to be where it belongs, and nothing else. Not thread-safe.
 */
final class LiveCluster implements AutoCloseable {
    private static final int MAX_ATTEMPTS = 6;

    private final ScenarioOptions options;
    private final WorkDirectory work;
    private final Environment environment;
    private final RunListeners listeners;
    private final SmallDisks disks = new SmallDisks();
    private final Cluster cluster;
    private final RunningNodes nodes;
    private final ClusterNodes members;
    private final LiveLoads loads = new LiveLoads();
    private final List<Removal> owed = new ArrayList<>();
    private final List<TableRef> dropped = new ArrayList<>();
    private final List<Ring> everRings = new ArrayList<>();
    private final List<TableFiles> files = new ArrayList<>();
    private Map<TableRef, Path> ledgers = Map.of();
    private Ring ring;

    /** With what is about to change, and who is dead. */
    private Ring current;

    /** What a node that did not answer has still to do before anything is streamed from it. */
    private record Removal(Node node, TableRef table, boolean isDrop) {}

    /**
     * How a change was carried out.
     *
     * @param events what was done meanwhile, and each failure
     * @param isUnexplained whether an attempt failed before anything was done to it
     * @param exitCode of a node that was asked to end when it had left
     */
    record Carried(
            int attempts,
            List<RandomReport.Event> events,
            boolean isUnexplained,
            List<Result> results,
            Optional<Integer> exitCode) {
        Carried {
            events = List.copyOf(events);
            results = List.copyOf(results);
        }
    }

    private LiveCluster(ScenarioOptions options, WorkDirectory work, SluiceConfig config, RunListeners listeners)
            throws IOException {
        this.options = options;
        this.work = work;
        this.listeners = listeners;
        this.cluster = new Cluster(work.root(), config);
        this.environment = RunEnvironment.of(work.root(), config);
        this.nodes = new RunningNodes(cluster, work.root());
        this.members = new ClusterNodes(options.shape(), cluster);
        this.ring = new Ring(members.first(), members.replication());
        this.current = ring;
    }

    /**
     * Starts the nodes with generated data.
     *
     * @param options its shape and its data; what else is in it does not count
     */
    static LiveCluster start(ScenarioOptions options, WorkDirectory work, SluiceConfig config, RunListeners listeners)
            throws IOException, InterruptedException, ScenarioException {
        OrphanedProcesses.end(work.root());
        LiveCluster made = new LiveCluster(options, work, config, listeners);
        try {
            made.start();
            return made;
        } catch (IOException | RuntimeException | InterruptedException | ScenarioException e) {
            made.close();
            throw e;
        }
    }

    private void start() throws IOException, InterruptedException, ScenarioException {
        DataPlacement placement = new DataPlacement(options, work, listeners, disks);
        files.addAll(placement.open(ring));
        ledgers = placement.ledgers(files);
        placement.give(files, ring);
        everRings.add(ring);
        nodes.start(ring.nodes());
    }

    /** As it is when no change is in progress. */
    Ring ring() {
        return ring;
    }

    RunningNodes nodes() {
        return nodes;
    }

    ClusterNodes members() {
        return members;
    }

    /** A table that clients begin to write to. */
    LiveLoad create(LoadTable table, Load load, Mix mix) throws IOException {
        return create(table, load, mix, InstantSource.system());
    }

    /** The same, of clients with a clock of their own. */
    LiveLoad create(LoadTable table, Load load, Mix mix, InstantSource clock) throws IOException {
        LiveLoad.Clients clients = new LiveLoad.Clients(load, mix, clock);
        return loads.add(LiveLoad.start(table, clients, current, nodes.all(), work.root()));
    }

    /**
     * Carries out a change, again and again until it has succeeded; whoever was killed comes back before the next time.
     *
     * @param scheduled what else is done while data is streamed
     * @throws ScenarioException if it fails too often
     */
    Carried carryOut(Changes.Step step, List<Fault> faults, List<Scheduled> scheduled)
            throws IOException, InterruptedException, ScenarioException {
        // Else a write that one replica has could be missed by who streams from another.
        loads.each(load -> load.generator().settleAll());
        begin(step);
        TopologyChange change = step.change();
        loads.each(load -> load.changing(change));
        current = RingChange.pending(change, LoadTable.DEFAULT.ref(), current);
        everRings.add(current.settled());
        List<RandomReport.Event> events = new ArrayList<>();
        boolean isUnexplained = false;
        int attempts = 0;
        Optional<ScenarioException> failure = Optional.empty();
        List<Result> results = List.of();
        try (FaultSchedule active = new FaultSchedule(
                faults,
                nodes,
                Map.of(),
                Optional.empty(),
                event -> events.add(new RandomReport.Event(event.text(), false)))) {
            scheduled.forEach(active::also);
            do {
                int before = events.size();
                Outcome outcome = attempt(change, active, ++attempts);
                results = outcome.results();
                failure = outcome.failure();
                isUnexplained |= failure.isPresent() && events.size() == before;
                failure.ifPresent(why -> events.add(new RandomReport.Event(String.valueOf(why.getMessage()), true)));
                active.takeWaiting();
                healFaults(active);
                active.doLate();
                settleRemovals();
            } while (failure.isPresent() && attempts < MAX_ATTEMPTS);
        }
        if (failure.isPresent()) {
            throw new ScenarioException(
                    Kind.FAILED, attempts + " attempts of " + change + " failed: " + events, failure.get());
        }
        ring = current.settled();
        current = ring;
        loads.each(LiveLoad::changed);
        return new Carried(attempts, events, isUnexplained, results, end(step));
    }

    private void begin(Changes.Step step) throws IOException, InterruptedException {
        if (step.killed().isPresent()) {
            nodes.kill(step.killed().get());
            current = current.with(step.killed().get().down());
            Node killed = step.killed().get();
            loads.each(load -> load.lost(killed));
        }
        if (step.started().isPresent()) {
            NodeProcess started = nodes.start(List.of(step.started().get())).get(0);
            loads.each(load -> load.started(started));
        }
    }

    private Outcome attempt(TopologyChange change, FaultSchedule active, int number)
            throws IOException, InterruptedException, ScenarioException {
        Map<TableRef, Ring> all = new LinkedHashMap<>();
        files.forEach(table -> all.put(table.table(), ring));
        all.putAll(loads.tables());
        ReportBuilder unread = new ReportBuilder(options, work.root(), environment, report -> {});
        unread.changeBegins(number, all.keySet());
        return new ChangeExecution(nodes, active, nobody(), unread).run(change, all);
    }

    /** Who would watch the progress of each of hundreds of changes? */
    private static RunListeners nobody() {
        return new RunListeners(
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8), false, () -> {});
    }

    private void healFaults(FaultSchedule active) throws IOException, InterruptedException {
        active.healAll();
        for (Node killed : active.takeKilled()) {
            for (NodeProcess back : nodes.start(List.of(killed))) {
                loads.each(load -> load.started(back));
            }
        }
    }

    /** Who has left, by whatever way, is not needed any more. */
    private Optional<Integer> end(Changes.Step step) throws IOException, InterruptedException {
        if (step.killed().isPresent()) {
            nodes.forget(step.killed().get());
            work.clear(step.killed().get().name());
        }
        if (step.change() instanceof TopologyChange.Decommission decommission) {
            int code = nodes.stop(decommission.leaving());
            work.clear(decommission.leaving().name());
            return Optional.of(code);
        }
        return Optional.empty();
    }

    /** What replicas of any table differ in now; writes that are on their way are among it. */
    TopologyChange.Repair repair() throws IOException {
        List<TopologyChange.Difference> differences = new ArrayList<>();
        Differences compared = Differences.among(nodes.alive(), how -> {});
        for (TableFiles table : files) {
            differences.addAll(compared.find(table.table(), ring).differences());
        }
        for (LiveLoad load : loads.all()) {
            differences.addAll(compared.find(load.table(), ring).differences());
        }
        return new TopologyChange.Repair(differences, true);
    }

    /** Kills all nodes, as a shutdown hook does. */
    void abandon() {
        cluster.abandon();
    }

    /** Empties a table at all nodes; nobody writes to it until all of them have done so. */
    void truncate(LiveLoad load) throws IOException, InterruptedException {
        load.generator().hold();
        load.generator().forget();
        remove(load.table(), false);
        settleRemovals();
    }

    /** Drops a table at all nodes, for good. */
    void drop(LiveLoad load) throws IOException, InterruptedException {
        load.generator().hold();
        loads.remove(load);
        dropped.add(load.table());
        remove(load.table(), true);
        settleRemovals();
    }

    private void remove(TableRef table, boolean isDrop) {
        nodes.all().forEach(process -> owed.add(new Removal(process.node(), table, isDrop)));
    }

    /** Does what is still to be done wherever a node answers; when nothing is owed of a table, clients write again. */
    private void settleRemovals() throws IOException {
        for (Removal removal : List.copyOf(owed)) {
            Optional<NodeProcess> process = nodes.find(removal.node()).filter(NodeProcess::isAlive);
            try {
                if (process.isPresent()) {
                    settle(removal, process.get().admin());
                    owed.remove(removal);
                }
            } catch (AdminException e) {
                if (e.isRefused()) {
                    throw e;
                }
                listeners.print("  later: " + e.getMessage());
            }
        }
        for (LiveLoad load : loads.all()) {
            if (owed.stream().noneMatch(removal -> removal.table().equals(load.table()))) {
                load.generator().release();
            }
        }
    }

    /** A node that was dead while a table came and went knows nothing of it. */
    private static void settle(Removal removal, AdminClient node) throws IOException {
        boolean isKnown = node.status().tables().stream()
                .anyMatch(known -> known.table().id().equals(removal.table().id()));
        AdminRequests.OnTable order = new AdminRequests.OnTable(removal.table().id());
        if (isKnown && removal.isDrop()) {
            node.drop(order);
        } else if (isKnown) {
            node.truncate(order);
        }
    }

    /** Makes one SSTable of all that a node has of a table, and has it forget deletions. */
    void compact(LiveLoad load, Node node) throws IOException {
        nodes.process(node)
                .admin()
                .compact(new AdminRequests.OnTable(load.table().id()));
    }

    /** Ends all writes, and says what of them is missing. */
    List<LoadResult> finishWrites() throws IOException, InterruptedException {
        return loads.ask(load -> load.finish(listeners));
    }

    /** Ends all writes of a run that failed, and says what of them no node has. */
    List<LoadVerification.Outcome> findWritesAnywhere() throws IOException, InterruptedException {
        return loads.ask(LiveLoad::findAnywhere);
    }

    /** Digests of all replicas of everything; after {@link #finishWrites}. */
    List<Check> compare() throws IOException, InterruptedException {
        Set<TableRef> tables = new LinkedHashSet<>();
        files.forEach(table -> tables.add(table.table()));
        loads.all().forEach(load -> tables.add(load.table()));
        List<ContentVerification.Scope> scopes = tables.stream()
                .map(table -> new ContentVerification.Scope(table, ring, ring, true, List.of()))
                .toList();
        List<Check> checks = new ArrayList<>();
        new ContentVerification(nodes.alive(), nodes.left()).run(scopes, checks::add);
        return checks;
    }

    /**
     * Ends all nodes, and reads their files against what was written; of a dropped table nothing may be left. After
     * {@link #finishWrites}.
     */
    Findings audit() throws IOException, InterruptedException {
        List<FinalAudit.Scope> scopes = new ArrayList<>(loads.ask(LiveLoad::scope));
        cluster.close();
        for (TableFiles table : files) {
            Path ledger = ledgers.get(table.table());
            if (ledger == null) {
                throw new IllegalStateException(table.table() + " has no ledger");
            }
            scopes.add(new FinalAudit.Scope(
                    table.table().toString(), FinalAudit.folder(table.table()), ledger, ring, everRings, false));
        }
        for (TableRef table : dropped) {
            Path ledger = work.root().resolve("ledger").resolve(table.id().toString());
            LedgerWriter.create(ledger, 0).close();
            scopes.add(new FinalAudit.Scope(
                    table + " (dropped)", FinalAudit.folder(table), ledger, ring, everRings, true));
        }
        return FinalAudit.run(scopes, List.of(), work.root());
    }

    @Override
    public void close() throws IOException {
        loads.close();
        cluster.close();
        disks.close();
    }
}
