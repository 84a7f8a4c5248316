package io.sluice.harness.scenario;

import io.sluice.harness.cluster.NodeHome;
import io.sluice.harness.content.TableFiles;
import io.sluice.harness.report.Step;
import io.sluice.harness.store.LocalStore;
import io.sluice.harness.store.SizeTiered;
import io.sluice.harness.store.StoreOptions;
import io.sluice.sstable.Coverage;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.encoding.OwnerOnly;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives each node the SSTables that it owns, as if it had flushed them itself. Stateless. */
final class Distribution {
    private static final Logger LOG = LoggerFactory.getLogger(Distribution.class);
    private static final int FIRST_ID_OF_SLICES = 1_000_000;
    private static final Set<Component> MUTABLE = EnumSet.of(Component.STATISTICS, Component.SUMMARY);

    private Distribution() {}

    /**
     * Gives every SSTable to all its replicas but those that are {@code empty}: links it (or, over file systems, copies
     * it) where a node owns all of it, and cuts slices where it owns a part.
     *
     * @throws ScenarioException if an SSTable that cannot be cut belongs to a node only in part
     */
    static void link(List<TableFiles> tables, Ring ring, Path workDirectory, Collection<Node> empty)
            throws IOException, ScenarioException {
        for (TableFiles table : tables) {
            for (Node node : ring.nodes()) {
                List<Path> folders = folders(workDirectory, node, table);
                for (Path folder : folders) {
                    OwnerOnly.createDirectories(folder);
                }
                if (empty.contains(node)) {
                    continue;
                }
                int nextId = FIRST_ID_OF_SLICES;
                int given = 0;
                for (SSTable sstable : table.sstables()) {
                    Path folder = folders.get(given++ % folders.size());
                    Coverage coverage = sstable.coverage(ring.rangesOf(node));
                    if (coverage == Coverage.WHOLE) {
                        link(sstable, folder);
                    } else if (coverage == Coverage.PART) {
                        for (TokenRange range : ring.rangesOf(node).ranges()) {
                            var id = new SSTableId.Sequence(nextId++);
                            SliceWriter.write(
                                    sstable,
                                    range,
                                    folder,
                                    new Descriptor(sstable.descriptor().version(), id));
                        }
                    }
                }
            }
        }
    }

    /**
     * Roughly what each node would report to a planner about its SSTables.
     *
     * @throws ScenarioException if an SSTable that cannot be cut belongs to a node only in part
     */
    static Map<TableRef, Map<Node, List<SSTableSpan>>> spans(List<TableFiles> tables, Ring ring)
            throws IOException, ScenarioException {
        Map<TableRef, Map<Node, List<SSTableSpan>>> spans = new LinkedHashMap<>();
        for (TableFiles table : tables) {
            Map<Node, List<SSTableSpan>> ofTable = new LinkedHashMap<>();
            for (Node node : ring.nodes()) {
                List<SSTableSpan> ofNode = new ArrayList<>();
                for (SSTable sstable : table.sstables()) {
                    Coverage coverage = sstable.coverage(ring.rangesOf(node));
                    if (coverage == Coverage.WHOLE) {
                        ofNode.add(new SSTableSpan(sstable.firstToken(), sstable.lastToken(), sstable.bytesOnDisk()));
                    } else if (coverage == Coverage.PART) {
                        addParts(sstable, ring.rangesOf(node), ofNode);
                    }
                }
                ofTable.put(node, ofNode);
            }
            spans.put(table.table(), ofTable);
        }
        return spans;
    }

    /**
     * Takes every other SSTable of each table away from a node, as a disk that lost some would.
     *
     * @return how many
     */
    static int damage(List<TableFiles> tables, Node node, Path workDirectory) throws IOException {
        int taken = 0;
        for (TableFiles table : tables) {
            List<SSTable> held = new ArrayList<>();
            for (Path folder : folders(workDirectory, node, table)) {
                held.addAll(TableFiles.open(TableDirectory.of(folder).orElseThrow()));
            }
            for (int i = 0; i < held.size(); i += 2) {
                SSTable sstable = held.get(i);
                for (Component component : sstable.components()) {
                    Files.delete(sstable.path(component));
                }
                taken++;
            }
        }
        return taken;
    }

    /**
     * Merges the SSTables of each node into few that each span all that it holds, as size-tiered compaction does.
     *
     * @param told receives how far it is, by bytes of nodes that are done
     */
    static void compact(List<Node> nodes, List<TableFiles> tables, Path workDirectory, Consumer<Step> told)
            throws IOException {
        Map<Node, Long> held = new LinkedHashMap<>();
        for (Node node : nodes) {
            held.put(node, bytes(node, tables, workDirectory));
        }
        List<TableRef> refs = tables.stream().map(TableFiles::table).toList();
        Step step = Step.ofBytes(
                "compacting by size",
                0,
                held.values().stream().mapToLong(Long::longValue).sum());
        for (Map.Entry<Node, Long> node : held.entrySet()) {
            told.accept(step.noting(node.getKey().name()));
            compact(node.getKey(), refs, workDirectory);
            step = step.plus(node.getValue());
        }
        told.accept(step);
    }

    private static long bytes(Node node, List<TableFiles> tables, Path workDirectory) throws IOException {
        long bytes = 0;
        for (TableFiles table : tables) {
            for (Path folder : folders(workDirectory, node, table)) {
                for (SSTable sstable : TableFiles.open(TableDirectory.of(folder).orElseThrow())) {
                    bytes += sstable.bytesOnDisk();
                }
            }
        }
        return bytes;
    }

    private static void compact(Node node, List<TableRef> tables, Path workDirectory) throws IOException {
        List<Path> data = NodeHome.of(workDirectory, node).dataDirectories();
        try (LocalStore store = LocalStore.open(data, StoreOptions.DEFAULTS)) {
            store.load();
            for (TableRef table : tables) {
                if (store.refs().contains(table)) {
                    store.compact(table.id(), new SizeTiered());
                }
            }
        }
    }

    private static void addParts(SSTable sstable, TokenRanges owned, List<SSTableSpan> spans) throws IOException {
        for (TokenRange range : owned.ranges()) {
            long bytes = sstable.sections(TokenRanges.of(range)).stream()
                    .mapToLong(Section::lengthBytes)
                    .sum();
            if (bytes > 0) {
                double share = (double) bytes / sstable.dataLengthBytes();
                long first =
                        Math.max(range.start().value() + 1, sstable.firstToken().value());
                long end = range.end().equals(Token.MINIMUM)
                        ? Long.MAX_VALUE
                        : range.end().value();
                long last = Math.min(end, sstable.lastToken().value());
                spans.add(
                        new SSTableSpan(new Token(first), new Token(last), Math.round(share * sstable.bytesOnDisk())));
            }
        }
    }

    /** In each data directory one. */
    private static List<Path> folders(Path workDirectory, Node node, TableFiles table) {
        return NodeHome.of(workDirectory, node).dataDirectories().stream()
                .map(data -> data.resolve(table.table().keyspace())
                        .resolve(table.directory().getFileName()))
                .toList();
    }

    private static void link(SSTable sstable, Path folder) throws IOException {
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
