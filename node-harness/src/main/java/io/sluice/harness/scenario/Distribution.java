package io.sluice.harness.scenario;

import io.sluice.harness.cluster.NodeHome;
import io.sluice.harness.content.TableFiles;
import io.sluice.harness.scenario.ScenarioException.Kind;
import io.sluice.sstable.Coverage;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.streaming.plan.SSTableSpan;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives each node the SSTables that it owns, as if it had flushed them itself. Stateless. */
final class Distribution {
    private static final Logger LOG = LoggerFactory.getLogger(Distribution.class);
    private static final Set<Component> MUTABLE = EnumSet.of(Component.STATISTICS, Component.SUMMARY);

    private Distribution() {}

    /**
     * Links (or, over file systems, copies) every SSTable to all its replicas.
     *
     * @throws ScenarioException if an SSTable belongs to a node only in part
     */
    static void give(List<TableFiles> tables, Ring ring, Path workDirectory) throws IOException, ScenarioException {
        for (TableFiles table : tables) {
            for (Node node : ring.nodes()) {
                Files.createDirectories(folder(workDirectory, node, table));
            }
            for (SSTable sstable : table.sstables()) {
                for (Node owner : owners(table, sstable, ring)) {
                    give(sstable, folder(workDirectory, owner, table));
                }
            }
        }
    }

    /**
     * What each node would tell a planner of its SSTables.
     *
     * @throws ScenarioException if an SSTable belongs to a node only in part
     */
    static Map<TableRef, Map<Node, List<SSTableSpan>>> spans(List<TableFiles> tables, Ring ring)
            throws IOException, ScenarioException {
        Map<TableRef, Map<Node, List<SSTableSpan>>> spans = new LinkedHashMap<>();
        for (TableFiles table : tables) {
            Map<Node, List<SSTableSpan>> ofTable = new LinkedHashMap<>();
            for (SSTable sstable : table.sstables()) {
                var span = new SSTableSpan(sstable.firstToken(), sstable.lastToken(), sstable.bytesOnDisk());
                for (Node owner : owners(table, sstable, ring)) {
                    ofTable.computeIfAbsent(owner, node -> new ArrayList<>()).add(span);
                }
            }
            spans.put(table.table(), ofTable);
        }
        return spans;
    }

    private static Path folder(Path workDirectory, Node node, TableFiles table) {
        return NodeHome.of(workDirectory, node)
                .data()
                .resolve(table.table().keyspace())
                .resolve(table.directory().getFileName());
    }

    private static List<Node> owners(TableFiles table, SSTable sstable, Ring ring)
            throws IOException, ScenarioException {
        List<Node> owners = new ArrayList<>();
        for (Node node : ring.nodes()) {
            Coverage coverage = sstable.coverage(ring.rangesOf(node));
            if (coverage == Coverage.PART) {
                throw new ScenarioException(
                        Kind.WRONG_USAGE,
                        table.table() + " " + sstable.descriptor() + " belongs to " + node
                                + " only in part (tokens " + sstable.firstToken() + " to " + sstable.lastToken()
                                + "): whole-SSTable streaming of such data needs --replication-factor = --nodes");
            }
            if (coverage == Coverage.WHOLE) {
                owners.add(node);
            }
        }
        return owners;
    }

    private static void give(SSTable sstable, Path folder) throws IOException {
        for (Component component : sstable.components()) {
            Path source = sstable.path(component);
            Path target = folder.resolve(source.getFileName());
            // A node may rewrite these in place, which must not reach the others.
            if (MUTABLE.contains(component) || !link(source, target)) {
                Files.copy(source, target);
            }
        }
    }

    private static boolean link(Path source, Path target) {
        try {
            Files.createLink(target, source);
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            LOG.debug("{} is copied, as it cannot be linked: {}", source, e.toString());
            return false;
        }
    }
}
