package io.sluice.harness.scenario;

import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.CreateTableOrder;
import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.load.Coordinator;
import io.sluice.harness.load.LoadGenerator;
import io.sluice.harness.load.LoadTable;
import io.sluice.harness.load.LoadVerification;
import io.sluice.harness.report.ReplaceReport.LoadResult;
import io.sluice.harness.scenario.ReplaceOptions.Load;
import io.sluice.streaming.ring.Membership;
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
        change(ring.with(dead.down()), Map.of());
    }

    /** A new node gets all writes that the dead one would have got, from now on. */
    void replacing(NodeProcess replacement, Node dead) throws IOException {
        if (coordinator != null) {
            createTable(replacement);
        }
        clients.put(replacement.node(), replacement.admin());
        Node pending = replacement.node().as(new Membership.Replacing(dead.id()));
        change(ring.with(pending), Map.of(replacement.node(), replacement.admin()));
    }

    private void change(Ring changed, Map<Node, AdminClient> added) {
        ring = changed;
        if (coordinator != null) {
            coordinator.change(changed, added);
        }
    }

    /** These tables, and that of the load if there is one. */
    List<TableRef> with(List<TableRef> tables) {
        List<TableRef> all = new ArrayList<>(tables);
        if (coordinator != null) {
            all.add(LoadTable.REF);
        }
        return all;
    }

    /** Ends the writes, the change of the ring being done, and looks for each that was acknowledged on each replica. */
    Optional<LoadResult> finish(Audience audience) throws IOException, InterruptedException {
        if (generator == null || coordinator == null || options == null) {
            return Optional.empty();
        }
        change(ring.settled(), Map.of());
        LoadGenerator.Summary summary = generator.stop();
        clients.keySet().removeIf(node -> ring.node(node.id()).isEmpty());
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
