package io.sluice.harness.scenario;

import io.sluice.harness.admin.FetchOrder;
import io.sluice.harness.admin.FetchState;
import io.sluice.harness.admin.FetchState.Phase;
import io.sluice.harness.admin.RingView;
import io.sluice.harness.admin.TableRing;
import io.sluice.harness.cluster.Cluster;
import io.sluice.harness.cluster.Loopback;
import io.sluice.harness.cluster.NodeHome;
import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.cluster.ProcessUsage;
import io.sluice.harness.content.TableFiles;
import io.sluice.harness.report.Bytes;
import io.sluice.harness.report.ProgressView;
import io.sluice.harness.report.ReplaceReport.Check;
import io.sluice.harness.report.ReplaceReport.Held;
import io.sluice.harness.report.ReplaceReport.LoadResult;
import io.sluice.harness.scenario.ReplaceOptions.Dataset;
import io.sluice.harness.scenario.ScenarioException.Kind;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.plan.Planner;
import io.sluice.streaming.plan.PlannerOptions;
import io.sluice.streaming.plan.SpansBySource;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.PlanResult.TableResult;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The main job: a cluster of processes, one is killed, a new one takes its tokens and fetches its tables from the
 * survivors, and contents are compared. Not thread-safe; used once.
 */
final class ReplaceNode {
    private static final Logger LOG = LoggerFactory.getLogger(ReplaceNode.class);
    private static final long POLL_MILLIS = 50;
    private static final double NANOS_PER_SECOND = 1e9;

    private final ReplaceOptions options;
    private final WorkDirectory work;
    private final Cluster cluster;
    private final Audience audience;
    private final ReportBuilder report;

    ReplaceNode(ReplaceOptions options, WorkDirectory work, Cluster cluster, Audience audience, ReportBuilder report) {
        this.options = options;
        this.work = work;
        this.cluster = cluster;
        this.audience = audience;
        this.report = report;
    }

    /** What is left when one member is dead. */
    private record Loss(Ring ring, Node dead, List<NodeProcess> survivors) {}

    /** Runs from nothing to equal contents; whatever else is the end of it is an exception. */
    void run() throws IOException, InterruptedException, ScenarioException {
        Ring ring = ring();
        List<TableRef> tables = distribute(ring);
        List<NodeProcess> members = start(ring);
        try (LiveLoad load = LiveLoad.start(options.load(), ring, members, work.root())) {
            Loss loss = loseLast(ring, members);
            load.lost(loss.dead());
            Node newcomer = member(options.nodes() + 1, loss.dead().tokens());
            audience.tell("Starting " + newcomer + " at " + newcomer.address() + " in its place");
            report.joined(List.of(newcomer));
            NodeProcess replacement = cluster.start(List.of(newcomer)).get(0);
            load.replacing(replacement, loss.dead());

            requireComplete(stream(replacement, loss, load.with(tables)));
            Optional<LoadResult> written = load.finish(audience);
            written.ifPresent(report::loaded);
            requireEqual(verify(replacement, loss, tables));
            requireNothingMissing(written);
        }
    }

    private static void requireNothingMissing(Optional<LoadResult> written) throws ScenarioException {
        if (written.isPresent() && written.get().missing() > 0) {
            throw new ScenarioException(
                    Kind.FAILED,
                    written.get().missing() + " acknowledged writes are missing: "
                            + String.join("; ", written.get().examples()));
        }
    }

    /** Plans what {@link #run()} would stream, from the same data, without starting a node. */
    TopologyPlan plan() throws IOException, ScenarioException {
        Ring ring = ring();
        List<TableFiles> tables = openTables(ring);
        Node dead = ring.nodes().get(ring.nodes().size() - 1);
        Node newcomer = member(options.nodes() + 1, dead.tokens());
        Map<TableRef, Ring> rings =
                tables.stream().map(TableFiles::table).collect(Collectors.toMap(table -> table, table -> ring));
        return Planner.plan(
                new TopologyChange.Replace(dead, newcomer),
                rings,
                new SpansBySource(Distribution.spans(tables, ring)),
                PlannerOptions.DEFAULTS.cuttingSSTables());
    }

    private Ring ring() throws IOException {
        List<Node> nodes = new ArrayList<>();
        BigInteger step = BigInteger.ONE.shiftLeft(Long.SIZE).divide(BigInteger.valueOf(options.nodes()));
        for (int i = 0; i < options.nodes(); i++) {
            long token = Long.MIN_VALUE + step.multiply(BigInteger.valueOf(i)).longValue();
            nodes.add(member(i + 1, List.of(new Token(token))));
        }
        return new Ring(nodes, options.replicationFactor());
    }

    private static Node member(int number, List<Token> tokens) throws IOException {
        // 127.0.0.1 is left to whatever else runs on this machine.
        return new Node(UUID.randomUUID(), "node" + number, Loopback.freeAddress(number + 1), tokens);
    }

    private List<TableRef> distribute(Ring ring) throws IOException, ScenarioException {
        List<TableFiles> tables = openTables(ring);
        for (int number = 1; number <= ReplaceScenario.MAX_NODES + 1; number++) {
            work.clear("node" + number);
        }
        Distribution.give(tables, ring, work.root());
        List<TableRef> refs = tables.stream().map(TableFiles::table).toList();
        report.tables(refs);
        return refs;
    }

    private List<TableFiles> openTables(Ring ring) throws IOException, ScenarioException {
        Path data = data(ring);
        List<TableFiles> tables = TableFiles.openAll(data);
        if (tables.stream().allMatch(table -> table.sstables().isEmpty())) {
            throw new ScenarioException(
                    Kind.WRONG_USAGE,
                    data + ": no SSTables found (expected: <keyspace>/<table>-<id>/ folders with SSTables in them)");
        }
        return tables;
    }

    private Path data(Ring ring) throws IOException, ScenarioException {
        if (options.dataset() instanceof Dataset.Existing existing) {
            if (!Files.isDirectory(existing.directory())) {
                throw new ScenarioException(
                        Kind.WRONG_USAGE, "--data " + existing.directory() + ": no such folder (expected: SSTables)");
            }
            return existing.directory();
        }
        Dataset.Generated wanted = (Dataset.Generated) options.dataset();
        GeneratedData generated = GeneratedData.of(work, wanted.bytes(), ring.ranges());
        if (!generated.isThere()) {
            requireSpace(wanted.bytes());
            audience.tell("Generating " + Bytes.text(wanted.bytes()) + " (kept for later runs)");
            generated.generate();
        }
        return generated.directory();
    }

    /** The data, and what the replacement receives of it; the members only link to it. */
    private void requireSpace(long dataBytes) throws IOException, ScenarioException {
        long needed = dataBytes + dataBytes / options.nodes() * options.replicationFactor();
        long free = Files.getFileStore(work.root()).getUsableSpace();
        if (needed > free) {
            throw new ScenarioException(
                    Kind.WRONG_USAGE,
                    "--size " + Bytes.text(dataBytes) + ": needs about " + Bytes.text(needed) + " in " + work.root()
                            + ", where " + Bytes.text(free) + " are free (choose less, or another --work-dir)");
        }
    }

    private List<NodeProcess> start(Ring ring) throws IOException, InterruptedException {
        audience.tell("Starting " + ring.nodes().size() + " nodes: "
                + ring.nodes().stream()
                        .map(node -> node + " at " + node.address())
                        .collect(Collectors.joining(", ")));
        report.joined(ring.nodes());
        return cluster.start(ring.nodes());
    }

    private Loss loseLast(Ring ring, List<NodeProcess> members) throws InterruptedException {
        List<NodeProcess> all = new ArrayList<>(members);
        NodeProcess victim = all.remove(all.size() - 1);
        audience.tell("Killing " + victim.node() + " (SIGKILL)");
        victim.kill();
        return new Loss(ring, victim.node(), all);
    }

    private FetchState stream(NodeProcess replacement, Loss loss, List<TableRef> tables)
            throws IOException, InterruptedException {
        List<NodeProcess> members = new ArrayList<>(loss.survivors());
        members.add(replacement);
        Map<NodeProcess, ProcessUsage> before = new LinkedHashMap<>();
        members.forEach(member -> before.put(member, member.usage()));
        String transport = replacement.admin().status().transport();

        UUID planId = UUID.randomUUID();
        LOG.info("plan {}: {} replaces {}", planId, replacement.node(), loss.dead());
        RingView ring = RingView.of(loss.ring());
        FetchState state = replacement
                .admin()
                .fetch(new FetchOrder(
                        planId,
                        new TopologyChange.Replace(loss.dead(), replacement.node()),
                        tables.stream().map(table -> new TableRing(table, ring)).toList()));
        try (ProgressView progress = ProgressView.on(audience.out(), audience.isTerminal())) {
            while (state.phase() != Phase.ENDED) {
                Thread.sleep(POLL_MILLIS);
                state = replacement.admin().fetchState(planId);
                progress.show(state.sessions(), state.streamingNanos());
                report.streaming(state, usedSince(before), transport);
            }
        }
        return state;
    }

    private static Map<Node, ProcessUsage> usedSince(Map<NodeProcess, ProcessUsage> before) {
        Map<Node, ProcessUsage> used = new LinkedHashMap<>();
        before.forEach(
                (member, earlier) -> used.put(member.node(), member.usage().since(earlier)));
        return used;
    }

    private static void requireComplete(FetchState ended) throws ScenarioException {
        if (ended.failure().isPresent()) {
            throw new ScenarioException(
                    Kind.FAILED, "streaming failed: " + ended.failure().get());
        }
        PlanResult result = ended.result().orElseThrow();
        for (TableResult table : result.tables()) {
            if (!table.installed()) {
                throw new ScenarioException(Kind.FAILED, "streaming " + table.table() + " failed: " + table.reason());
            }
        }
    }

    private List<Check> verify(NodeProcess replacement, Loss loss, List<TableRef> tables)
            throws IOException, InterruptedException {
        audience.tell("Comparing what " + replacement.node() + " holds with what " + loss.dead()
                + " held, and with its replicas");
        long began = System.nanoTime();
        Path left = NodeHome.of(work.root(), loss.dead()).data();
        List<Check> checks = new ArrayList<>();
        new Verification(loss.ring(), loss.dead(), left, replacement, loss.survivors()).run(tables, check -> {
            audience.tell("  " + check.table() + " " + check.range() + (check.equal() ? ": equal" : ": DIFFERENT")
                    + " on " + check.held().stream().map(Held::node).collect(Collectors.joining(", ")));
            checks.add(check);
            report.compared(checks, (System.nanoTime() - began) / NANOS_PER_SECOND);
        });
        return checks;
    }

    private static void requireEqual(List<Check> checks) throws ScenarioException {
        List<Check> different = checks.stream().filter(check -> !check.equal()).toList();
        if (!different.isEmpty()) {
            Check first = different.get(0);
            int others = different.size() - 1;
            throw new ScenarioException(
                    Kind.FAILED,
                    "verification failed: " + first + (others == 0 ? "" : " (and " + others + " more ranges)"));
        }
    }
}
