package io.sluice.harness.scenario;

import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.load.Coordinator;
import io.sluice.harness.load.LoadGenerator;
import io.sluice.harness.load.LoadGenerator.Mix;
import io.sluice.harness.load.LoadLedger;
import io.sluice.harness.load.LoadTable;
import io.sluice.harness.load.LoadVerification;
import io.sluice.harness.report.RunReport.LoadResult;
import io.sluice.harness.scenario.ScenarioOptions.Load;
import io.sluice.streaming.plan.TopologyChange;
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

/** A table that clients write to during a run; knows the ring as it changes. Not thread-safe: confined to the run. */
final class LiveLoad implements AutoCloseable {
    // Some writes before anything happens, so that there is something of the table to stream.
    private static final long FIRST_ACKNOWLEDGED = 1000;
    private static final long POLL_MILLIS = 20;

    private final LoadTable table;
    private final Clients writers;
    private final Path workDirectory;
    private final Map<Node, AdminClient> clients = new LinkedHashMap<>();
    private final Coordinator coordinator;
    private final LoadGenerator generator;
    private final List<Ring> everRings = new ArrayList<>();
    private Ring ring;

    /** Who writes: how much, at what consistency, and by what clock. */
    record Clients(Load load, Mix mix, InstantSource clock) {}

    private LiveLoad(LoadTable table, Clients writers, Ring ring, Map<Node, AdminClient> clients, Path workDirectory) {
        this.table = table;
        this.writers = writers;
        this.ring = ring;
        this.workDirectory = workDirectory;
        this.clients.putAll(clients);
        this.coordinator = new Coordinator(table, writers.load().consistency(), ring, clients);
        this.generator = new LoadGenerator(coordinator, writers.mix(), file(), writers.clock());
        everRings.add(ring.settled());
    }

    /** Makes the table on all members and begins to write. */
    static LiveLoad start(LoadTable table, Clients writers, Ring ring, List<NodeProcess> members, Path workDirectory)
            throws IOException {
        Map<Node, AdminClient> clients = new LinkedHashMap<>();
        members.forEach(member -> clients.put(member.node(), member.admin()));
        LiveLoad load = new LiveLoad(table, writers, ring, clients, workDirectory);
        for (NodeProcess member : members) {
            if (member.isAlive()) { // who is dead gets it when it is back
                load.createTable(member);
            }
        }
        load.generator.start();
        return load;
    }

    /** Waits until there is something to stream. */
    LiveLoad awaitFirst() throws InterruptedException {
        long wanted = Math.min(FIRST_ACKNOWLEDGED, writers.mix().writesPerSecond());
        while (generator.isRunning() && generator.acknowledged() < wanted) {
            Thread.sleep(POLL_MILLIS);
        }
        return this;
    }

    private void createTable(NodeProcess member) throws IOException {
        member.admin().createTable(new AdminRequests.CreateTable(table.ref(), table.cql()));
    }

    private Path file() {
        return workDirectory.resolve("acknowledged-" + table.ref().id() + ".tsv");
    }

    TableRef table() {
        return table.ref();
    }

    /** As it is, with what is about to change. */
    Ring ring() {
        return ring;
    }

    /** To write by hand, or hold the writes. */
    LoadGenerator generator() {
        return generator;
    }

    /** A member is dead. */
    void lost(Node dead) throws InterruptedException {
        ring(ring.with(dead.down()), Map.of());
    }

    /** A node is new, or back: writes that it is to get can be sent to it. */
    void started(NodeProcess process) throws IOException, InterruptedException {
        createTable(process);
        clients.put(process.node(), process.admin());
        ring(ring, Map.of(process.node(), process.admin()));
    }

    /** A change begins: from now on, who is going to hold something gets the writes to it. */
    void changing(TopologyChange change) throws InterruptedException {
        Ring pending = RingChange.pending(change, table.ref(), ring);
        everRings.add(pending.settled());
        ring(pending, Map.of());
    }

    /** The change is done. */
    void changed() throws InterruptedException {
        ring(ring.settled(), Map.of());
        clients.keySet().removeIf(node -> ring.node(node.id()).isEmpty());
    }

    private void ring(Ring changed, Map<Node, AdminClient> added) throws InterruptedException {
        ring = changed;
        coordinator.change(changed, added);
    }

    /**
     * Ends the writes, all changes of the ring being done, looks for each that was acknowledged on each replica, and
     * has nodes write what is in their memory to files.
     */
    LoadResult finish(RunListeners listeners) throws IOException, InterruptedException {
        LoadGenerator.Summary summary = generator.stop();
        LoadVerification.Outcome outcome = LoadVerification.run(table, file(), ring, clients);
        listeners.print(
                outcome.rowsAsked() + " rows of " + summary.acknowledged() + " acknowledged writes looked for on "
                        + clients.size() + " replicas: " + outcome.missing() + " missing");
        for (AdminClient client : clients.values()) {
            client.flush();
        }
        return new LoadResult(
                summary.writesPerSecond(),
                writers.load().consistency().name(),
                summary.sent(),
                summary.acknowledged(),
                summary.hints(),
                summary.longestMillis(),
                outcome.keys(),
                outcome.rowsAsked(),
                outcome.missing(),
                outcome.examples());
    }

    /** Ends the writes, a change having failed for good, and looks for each that was acknowledged at all nodes. */
    LoadVerification.Outcome findAnywhere() throws IOException, InterruptedException {
        generator.end();
        return LoadVerification.anywhere(table, file(), generator.unacknowledged(), clients.values());
    }

    /** What the files of nodes have to hold of it; after {@link #finish}. */
    FinalAudit.Scope scope() throws IOException {
        Path ledger = workDirectory.resolve("ledger").resolve(table.ref().id().toString());
        LoadLedger.write(file(), ledger);
        String folder = FinalAudit.folder(table.ref());
        return new FinalAudit.Scope(table.ref().toString(), folder, ledger, ring, everRings, true);
    }

    @Override
    public void close() {
        generator.abandon();
        coordinator.close();
    }
}
