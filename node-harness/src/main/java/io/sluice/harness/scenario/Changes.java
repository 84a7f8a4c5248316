package io.sluice.harness.scenario;

import io.sluice.harness.config.ScenarioFile.Operation;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Replication;
import io.sluice.streaming.ring.Replication.Tablet;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The changes that a scenario consists of, one after another. Not thread-safe. */
final class Changes {
    private final ScenarioOptions options;
    private final ClusterNodes members;
    private int made;

    Changes(ScenarioOptions options, ClusterNodes members) {
        this.options = options;
        this.members = members;
    }

    /**
     * One change.
     *
     * @param killed who dies first
     * @param started who comes, with an empty disk
     */
    record Step(TopologyChange change, Optional<Node> killed, Optional<Node> started) {
        static Step of(TopologyChange change) {
            return new Step(change, Optional.empty(), Optional.empty());
        }
    }

    /** The next change, empty if all were made. What a repair is about is found by {@link Differences}. */
    Optional<Step> next(Map<TableRef, Ring> rings) throws IOException {
        Ring ring = rings.values().iterator().next();
        List<Node> nodes = ring.nodes();
        Node last = nodes.get(nodes.size() - 1);
        int number = made++;
        if (options.operation() == Operation.BOOTSTRAP) {
            return number < options.count() ? Optional.of(join(ring)) : Optional.empty();
        }
        if (options.operation() == Operation.TABLET_MIGRATION) {
            return migration(number, rings, last);
        }
        if (number > 0) {
            return Optional.empty();
        }
        return switch (options.operation()) {
            case REPLACE -> {
                Node joining = members.replacement(last);
                yield Optional.of(
                        new Step(new TopologyChange.Replace(last, joining), Optional.of(last), Optional.of(joining)));
            }
            case REMOVENODE ->
                Optional.of(new Step(new TopologyChange.RemoveNode(last), Optional.of(last), Optional.empty()));
            case REBUILD ->
                Optional.of(Step.of(
                        new TopologyChange.Rebuild(rebuilt(options, nodes), TokenRanges.FULL, sources(options))));
            case DECOMMISSION -> Optional.of(Step.of(new TopologyChange.Decommission(last)));
            case MOVE ->
                Optional.of(Step.of(new TopologyChange.Move(last, List.of(ClusterNodes.elsewhere(ring, last)))));
            case REPAIR -> Optional.of(Step.of(new TopologyChange.Repair(List.of(), true)));
            case BOOTSTRAP, TABLET_MIGRATION -> throw new AssertionError(options.operation() + " was made above");
        };
    }

    private Step join(Ring ring) throws IOException {
        Node joining = members.joiningNode(ring);
        return new Step(
                new TopologyChange.Bootstrap(joining, options.isStrict()), Optional.empty(), Optional.of(joining));
    }

    /** Of one table after another, so many tablets go from their first replica to the node that has none yet. */
    private Optional<Step> migration(int number, Map<TableRef, Ring> rings, Node last) {
        List<TableRef> tables = List.copyOf(rings.keySet());
        int table = number / options.count();
        if (table >= tables.size()) {
            return Optional.empty();
        }
        TableRef ref = tables.get(table);
        Ring ring = rings.get(ref);
        if (ring == null || !(ring.replication() instanceof Replication.Tablets placed)) {
            throw new IllegalStateException(ref + " has no tablets");
        }
        Tablet tablet =
                placed.tablets().get(number % options.count() % placed.tablets().size());
        return Optional.of(Step.of(new TopologyChange.MigrateTablet(
                ref, tablet.last(), tablet.replicas().get(0), last.id())));
    }

    /** Those that have lost their data, or never had any. */
    static List<Node> rebuilt(ScenarioOptions options, List<Node> nodes) {
        List<String> dcs = options.shape().dcs();
        if (dcs.size() == 1) {
            return List.of(nodes.get(nodes.size() - 1));
        }
        String fresh = dcs.get(dcs.size() - 1);
        return nodes.stream().filter(node -> node.location().dc().equals(fresh)).toList();
    }

    private static TopologyChange.SourceFilter sources(ScenarioOptions options) {
        List<String> dcs = options.shape().dcs();
        return dcs.size() == 1 ? TopologyChange.SourceFilter.ANY : TopologyChange.SourceFilter.inDc(dcs.get(0));
    }
}
