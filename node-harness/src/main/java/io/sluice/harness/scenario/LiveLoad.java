package io.sluice.harness.scenario;

import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.CreateTableOrder;
import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.load.Coordinator;
import io.sluice.harness.load.LoadGenerator;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes during a run, if asked for; knows the ring as it changes. Not thread-safe: confined to the run. */
final class LiveLoad implements AutoCloseable {
    private static final String FILE = "acknowledged.tsv";
    // Some writes before anything happens, so that there is something of the table to stream.
    private static final long FIRST_ACKNOWLEDGED = 1000;
    private static final long POLL_MILLIS = 20;

    private final Path file;
    private final Map<Node, AdminClient> clients = new LinkedHashMap<>();
    private final @Nullable Load options;
    private final @Nullable Coordinator coordinator;
    private final @Nullable LoadGenerator generator;
    private Ring ring;

    private LiveLoad(@Nullable Load options, Ring ring, List<NodeProcess> members, Path workDirectory) {
        this.options = options;
        this.ring = ring;
        this.file = workDirectory.resolve(FILE);
        members.forEach(member -> clients.put(member.node(), member.admin()));
        this.coordinator = options == null ? null : new Coordinator(options.consistency(), ring, clients);
        this.generator = options == null || coordinator == null
                ? null
                : new LoadGenerator(coordinator, options.writesPerSecond(), file, InstantSource.system());
    }

    /** Makes the table on all members and begins to write; without options nothing happens, here and later. */
    static LiveLoad start(Optional<Load> options, Ring ring, List<NodeProcess> members, Path workDirectory)
            throws IOException, InterruptedException {
        LiveLoad load = new LiveLoad(options.orElse(null), ring, members, workDirectory);
        LoadGenerator generator = load.generator;
        if (generator != null) {
            for (NodeProcess member : members) {
                load.createTable(member);
            }
            generator.start();
            long wanted = Math.min(FIRST_ACKNOWLEDGED, options.orElseThrow().writesPerSecond());
            while (generator.isRunning() && generator.acknowledged() < wanted) {
                Thread.sleep(POLL_MILLIS);
            }
        }
        return load;
    }

    private void createTable(NodeProcess member) throws IOException {
        member.admin().createTable(new CreateTableOrder(LoadTable.REF, LoadTable.CQL));
    }

    /** A member is dead. */
    void lost(Node dead) {
        ring(ring.with(dead.down()), Map.of());
    }

    /** A node is new, or back: writes that it is to get can be sent to it. */
    void started(NodeProcess process) throws IOException {
        if (coordinator != null) {
            createTable(process);
        }
        clients.put(process.node(), process.admin());
        ring(ring, Map.of(process.node(), process.admin()));
    }

    /** A change begins: from now on, who is going to hold something gets the writes to it. */
    void changing(TopologyChange change) {
        ring(RingChange.pending(change, LoadTable.REF, ring), Map.of());
    }

    /** The change is done. */
    void changed() {
        ring(ring.settled(), Map.of());
        clients.keySet().removeIf(node -> ring.node(node.id()).isEmpty());
    }

    private void ring(Ring changed, Map<Node, AdminClient> added) {
        ring = changed;
        if (coordinator != null) {
            coordinator.change(changed, added);
        }
    }

    /** The table that is written to, on the ring as it is; none without load. */
    Map<TableRef, Ring> tables() {
        return coordinator == null ? Map.of() : Map.of(LoadTable.REF, ring);
    }

    /**
     * Ends the writes, all changes of the ring being done, and looks for each that was acknowledged on each replica.
     */
    Optional<LoadResult> finish(Audience audience) throws IOException, InterruptedException {
        if (generator == null || coordinator == null || options == null) {
            return Optional.empty();
        }
        LoadGenerator.Summary summary = generator.stop();
        LoadVerification.Outcome outcome = LoadVerification.run(file, ring, clients);
        audience.tell(outcome.rowsAsked() + " rows of " + summary.acknowledged() + " acknowledged writes looked for on "
                + clients.size() + " replicas: " + outcome.missing() + " missing");
        return Optional.of(new LoadResult(
                summary.writesPerSecond(),
                options.consistency().name(),
                summary.sent(),
                summary.acknowledged(),
                summary.hints(),
                summary.longestMillis(),
                outcome.keys(),
                outcome.rowsAsked(),
                outcome.missing(),
                outcome.examples()));
    }

    @Override
    public void close() {
        if (generator != null) {
            generator.abandon();
        }
        if (coordinator != null) {
            coordinator.close();
        }
    }
}
