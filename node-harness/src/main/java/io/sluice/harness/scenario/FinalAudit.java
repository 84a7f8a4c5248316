package io.sluice.harness.scenario;

import io.sluice.harness.audit.AuditMain;
import io.sluice.harness.audit.AuditOrder;
import io.sluice.harness.audit.Findings;
import io.sluice.harness.cluster.NodeHome;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.Step;
import io.sluice.harness.report.WorkProgress;
import io.sluice.sstable.TableDirectory;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Replication;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import io.sluice.tools.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last comparison: what was written against what the files of all nodes hold, in a process of its own, when those
 * of the nodes have ended. It is given tokens, data centres and racks, and finds out by itself who has to hold what.
 * Stateless.
 */
final class FinalAudit {
    private static final Logger LOG = LoggerFactory.getLogger(FinalAudit.class);

    private static final List<String> JVM_OPTIONS = List.of("-Xmx512m", "-XX:+UseSerialGC", "-Xshare:auto");

    private static final long LOOK_MILLIS = 100;

    private FinalAudit() {}

    /**
     * What was written to a table, and where it has to be.
     *
     * @param folder {@code keyspace/table-id}
     * @param now the ring as it is
     * @param ever all rings of the run
     * @param isDeletedFrom whether rows were deleted, so that what is alive is compared
     */
    record Scope(String table, String folder, Path ledger, Ring now, List<Ring> ever, boolean isDeletedFrom) {}

    /** Where a table lies in each data directory. */
    static String folder(TableRef table) {
        return TableDirectory.in(Path.of(""), table.keyspace(), table.name(), table.id())
                .toString();
    }

    /**
     * Reads the files of all nodes of the rings as they are now.
     *
     * @param without nodes that never had all of theirs
     * @throws IOException also if the process fails
     */
    @SuppressWarnings("try") // it is shown meanwhile
    static Findings run(List<Scope> scopes, List<Node> without, Path workDirectory)
            throws IOException, InterruptedException {
        Path folder = Files.createDirectories(workDirectory.resolve("audit"));
        Path order = folder.resolve("order.json");
        Path findings = folder.resolve("findings.json");
        Path console = folder.resolve("console.log");
        Files.deleteIfExists(findings);
        Json.MAPPER.writeValue(order.toFile(), order(scopes, without, workDirectory));
        Process process = JavaCommand.process(JVM_OPTIONS, AuditMain.class, order, findings)
                .redirectError(console.toFile())
                .start();
        AtomicReference<Step> step = new AtomicReference<>(Step.ofBytes("hashing files", 0, 0));
        try (BufferedReader told = process.inputReader(StandardCharsets.UTF_8);
                WorkProgress shown = WorkProgress.of(step::get)) {
            // Without waiting for a line: whoever cancels the run interrupts this.
            while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                while (told.ready()) {
                    step(told.readLine()).ifPresent(step::set);
                }
            }
            if (process.exitValue() != 0) {
                throw new IOException("the audit ended with code " + process.exitValue() + ": "
                        + Files.readString(console, StandardCharsets.UTF_8).strip());
            }
        } finally {
            process.destroyForcibly();
        }
        return Json.MAPPER.readValue(findings.toFile(), Findings.class);
    }

    /** How far the audit is; empty for what the virtual machine prints there itself, as warnings. */
    static Optional<Step> step(String line) throws IOException {
        if (line.startsWith("{")) {
            return Optional.of(Json.MAPPER.readValue(line, Step.class));
        }
        LOG.info("the audit's process says: {}", line);
        return Optional.empty();
    }

    /** In words that know no ranges. */
    static AuditOrder order(List<Scope> scopes, List<Node> without, Path workDirectory) {
        Map<UUID, Node> nodes = new LinkedHashMap<>();
        scopes.forEach(scope -> scope.now().nodes().forEach(node -> nodes.put(node.id(), node)));
        without.forEach(node -> nodes.remove(node.id()));
        return new AuditOrder(
                scopes.stream()
                        .map(scope -> new AuditOrder.Table(
                                scope.table(),
                                scope.folder(),
                                scope.ledger().toString(),
                                ring(scope.now()),
                                scope.ever().stream()
                                        .map(FinalAudit::ring)
                                        .distinct()
                                        .toList(),
                                scope.isDeletedFrom()))
                        .toList(),
                nodes.values().stream()
                        .map(node -> new AuditOrder.Disk(
                                node.name(),
                                NodeHome.of(workDirectory, node).dataDirectories().stream()
                                        .map(Path::toString)
                                        .toList()))
                        .toList());
    }

    private static AuditOrder.Ring ring(Ring ring) {
        List<AuditOrder.Member> members = ring.nodes().stream()
                .map(node -> new AuditOrder.Member(
                        node.name(),
                        node.location().dc(),
                        node.location().rack(),
                        node.tokens().stream().map(token -> token.value()).toList()))
                .toList();
        Replication replication = ring.replication();
        if (replication instanceof Replication.Simple simple) {
            return new AuditOrder.Ring(members, Optional.of(simple.factor()), Optional.empty(), Optional.empty());
        }
        if (replication instanceof Replication.NetworkTopology topology) {
            return new AuditOrder.Ring(members, Optional.empty(), Optional.of(topology.factors()), Optional.empty());
        }
        Map<UUID, String> names = ring.nodes().stream().collect(Collectors.toMap(Node::id, Node::name));
        List<AuditOrder.Tablet> tablets = ((Replication.Tablets) replication)
                .tablets().stream()
                        .map(tablet -> new AuditOrder.Tablet(
                                tablet.last().value(),
                                tablet.replicas().stream()
                                        .map(id -> names.getOrDefault(id, id.toString()))
                                        .toList()))
                        .toList();
        return new AuditOrder.Ring(members, Optional.empty(), Optional.empty(), Optional.of(tablets));
    }
}
