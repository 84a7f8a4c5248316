package io.sluice.streaming.planner;

import io.sluice.sstable.token.TokenRange;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyChange.BulkLoad;
import io.sluice.streaming.plan.TopologyChange.Difference;
import io.sluice.streaming.plan.TopologyChange.Repair;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.Set;

/** Derives from a change which nodes need which ranges, and which nodes may send them. Immutable. */
record Needs(TopologyChange change, NodeNumbers nodes, PlanScope scope) {
    /**
     * The needs on one ring.
     *
     * @param table for messages
     * @param out nodes that must not send
     * @throws StreamException of code {@link ErrorCode#NO_SOURCE}, naming the range, if no permitted source of it is up
     */
    Demand of(TableRef table, Ring ring, Set<Node> out) {
        Demand demand = new Demand(nodes.count());
        if (change instanceof BulkLoad load) {
            loaded(load, table, ring, out, demand);
        } else {
            difference(table, out, demand).add(ring);
        }
        return demand;
    }

    private void loaded(BulkLoad load, TableRef table, Ring ring, Set<Node> out, Demand demand) {
        int[] loader = {nodes.of(load.loader())};
        for (TokenRange range : ring.ranges()) {
            ring.replicas(range).stream().filter(scope::includes).forEach(replica -> {
                requireAvailable(load.loader(), out, table + " " + range);
                demand.add(nodes.of(replica), range, loader);
            });
        }
        Ring settled = ring.settled();
        if (settled != ring) {
            difference(table, out, demand).add(ring, settled);
        }
    }

    private RingDifference difference(TableRef table, Set<Node> out, Demand demand) {
        return new RingDifference(
                table.toString(), change, nodes, demand, new RingDifference.Scope(scope::includes, out));
    }

    /** The ranges of one table in which replicas differ; only the two replicas of a pair can send. */
    Demand repaired(Repair repair, TableRef table, Set<Node> out) {
        Demand demand = new Demand(nodes.count());
        for (Difference difference : repair.differences()) {
            if (difference.table().equals(table)) {
                add(difference.first(), difference.second(), difference, out, demand);
                if (!repair.isPullOnly()) {
                    add(difference.second(), difference.first(), difference, out, demand);
                }
            }
        }
        return demand;
    }

    private void add(Node to, Node from, Difference difference, Set<Node> out, Demand demand) {
        if (!scope.includes(to)) {
            return;
        }
        String what = difference.table() + " " + difference.ranges();
        for (Node node : List.of(difference.first(), difference.second())) {
            if (!node.isUp()) {
                throw new StreamException(
                        ErrorCode.NO_SOURCE, what + ": " + node + " is down (expected: both replicas up)");
            }
        }
        requireAvailable(from, out, what);
        for (TokenRange range : difference.ranges().ranges()) {
            demand.add(nodes.of(to), range, new int[] {nodes.of(from)});
        }
    }

    private static void requireAvailable(Node source, Set<Node> out, String what) {
        if (out.contains(source)) {
            throw new StreamException(
                    ErrorCode.NO_SOURCE, what + ": only " + source + " can send it, and it cannot be used");
        }
    }
}
