package io.sluice.streaming.planner;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyChange.Bootstrap;
import io.sluice.streaming.plan.TopologyChange.BulkLoad;
import io.sluice.streaming.plan.TopologyChange.Difference;
import io.sluice.streaming.plan.TopologyChange.MigrateTablet;
import io.sluice.streaming.plan.TopologyChange.Repair;
import io.sluice.streaming.plan.TopologyChange.Replace;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.planner.balance.BalanceProblem;
import io.sluice.streaming.planner.balance.Balancer;
import io.sluice.streaming.planner.balance.Solution;
import io.sluice.streaming.planner.balance.Sources;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Plans which node sends which tokens of which tables to which node, so that the slowest sender finishes as early as
 * possible and, among such plans, the fewest bytes travel between data centres. All tables and keyspaces are balanced
 * together, by bytes. Stateless; the same input gives the same plan.
 */
public final class Planner {
    /** Ranges are cut only if that may shorten the duration by more than this factor. */
    private static final double WORTH_CUTTING = 1.01;

    /** The factor if SSTables would be cut: a slice costs its source more than a whole SSTable. */
    private static final double WORTH_CUTTING_SSTABLES = 1.25;

    private static final int PARTS_PER_SOURCE = 16;

    private Planner() {}

    /**
     * Plans a change.
     *
     * @param rings the ring of each table, by its replication; tables that share a ring are planned together. Without
     *     any, as before the first table of a cluster, the plan has no transfers
     * @param sizes the data of the nodes
     * @throws StreamException of code {@link ErrorCode#NO_SOURCE}, naming the range, if no permitted source of it is
     *     up, or an SSTable that must not be cut overlaps ranges that no single source holds completely
     * @throws IllegalArgumentException if the change does not fit the rings, or names a table that has none
     */
    public static TopologyPlan plan(
            TopologyChange change, Map<TableRef, Ring> rings, DataSizes sizes, PlannerOptions options) {
        return plan(change, rings, sizes, options, PlanScope.ALL);
    }

    /**
     * Plans a change for one destination, or without some sources.
     *
     * @throws StreamException as above, but not for ranges of other destinations
     */
    public static TopologyPlan plan(
            TopologyChange change,
            Map<TableRef, Ring> rings,
            DataSizes sizes,
            PlannerOptions options,
            PlanScope scope) {
        requireFit(change, rings);
        NodeNumbers nodes = numbers(change, rings);
        List<TableRef> tables = rings.keySet().stream()
                .sorted(Comparator.comparing(TableRef::toString).thenComparing(TableRef::id))
                .toList();
        PlanRanges pieces = pieces(new Needs(change, nodes, scope), tables, rings, sizes, options);
        Sources rates = rates(nodes, options);
        BalanceProblem problem = pieces.toProblem(sizes, rates);
        Solution solution = Balancer.solve(problem);
        double worthCutting = sizes.knowsSSTables() ? WORTH_CUTTING_SSTABLES : WORTH_CUTTING;
        if (options.mayCutSSTables() && solution.makespanSeconds() > solution.dividedBoundSeconds() * worthCutting) {
            PlanRanges cut = pieces.cut(sizes, limit(problem, nodes));
            BalanceProblem cutProblem = cut.toProblem(sizes, rates);
            Solution cutSolution = Balancer.solve(cutProblem);
            if (cutSolution.makespanSeconds() < solution.makespanSeconds()) {
                return new BalancedPlan(
                        change, cut, cutProblem, cutSolution, nodes, options.receivedBytesPerSecond(), scope);
            }
        }
        return new BalancedPlan(change, pieces, problem, solution, nodes, options.receivedBytesPerSecond(), scope);
    }

    private static void requireFit(TopologyChange change, Map<TableRef, Ring> rings) {
        if (change instanceof Repair repair) {
            for (Difference difference : repair.differences()) {
                requireRing(difference.table(), rings);
                if (difference.first().equals(difference.second())) {
                    throw new IllegalArgumentException("a difference of " + difference.first() + " with itself in "
                            + difference.table() + " (expected: two nodes)");
                }
            }
        } else if (change instanceof MigrateTablet migrate) {
            requireRing(migrate.table(), rings);
        } else if (change instanceof Replace replace && replace.dead().equals(replace.replacement())) {
            throw new IllegalArgumentException(
                    replace.dead() + " cannot replace itself (expected: a replacement with another id)");
        }
    }

    private static void requireRing(TableRef table, Map<TableRef, Ring> rings) {
        if (!rings.containsKey(table)) {
            throw new IllegalArgumentException(
                    table + " (" + table.id() + "): its ring is missing (expected: the ring of each table)");
        }
    }

    private static NodeNumbers numbers(TopologyChange change, Map<TableRef, Ring> rings) {
        Set<Node> all = new LinkedHashSet<>();
        Set<Ring> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
        rings.values().stream().filter(distinct::add).forEach(ring -> all.addAll(ring.nodes()));
        if (change instanceof Bootstrap bootstrap) {
            all.add(bootstrap.joining());
        } else if (change instanceof Replace replace) {
            all.add(replace.replacement());
        } else if (change instanceof BulkLoad load) {
            all.add(load.loader());
        }
        return new NodeNumbers(all);
    }

    private static PlanRanges pieces(
            Needs needs, List<TableRef> tables, Map<TableRef, Ring> rings, DataSizes sizes, PlannerOptions options) {
        PlanRanges pieces = new PlanRanges(tables, needs.nodes());
        IdentityHashMap<Ring, Map<Set<Node>, Demand>> known = new IdentityHashMap<>();
        for (int number = 0; number < tables.size(); number++) {
            TableRef table = tables.get(number);
            Ring ring = rings.get(table);
            if (ring == null
                    || (needs.change() instanceof MigrateTablet migrate
                            && !migrate.table().equals(table))) {
                continue;
            }
            Set<Node> out = needs.scope().out(table);
            Demand demand = needs.change() instanceof Repair repair
                    ? needs.repaired(repair, table, out)
                    : known.computeIfAbsent(ring, key -> new HashMap<>())
                            .computeIfAbsent(out, key -> needs.of(table, ring, out));
            if (sizes.knowsSSTables()) {
                new WholeSSTableRanges(table, number, demand, needs.nodes(), sizes, options.mayCutSSTables())
                        .addTo(pieces);
            } else {
                pieces.addAll(number, demand);
            }
        }
        return pieces;
    }

    private static Sources rates(NodeNumbers nodes, PlannerOptions options) {
        return new Sources(
                IntStream.range(0, nodes.count())
                        .mapToDouble(i -> options.rateOf(nodes.node(i).id()))
                        .toArray(),
                IntStream.range(0, nodes.count())
                        .mapToLong(i ->
                                options.queuedBytes().getOrDefault(nodes.node(i).id(), 0L))
                        .toArray());
    }

    /** The size of pieces that are small enough to be balanced. */
    private static long limit(BalanceProblem problem, NodeNumbers nodes) {
        return Math.max(1, problem.totalBytes() / ((long) PARTS_PER_SOURCE * nodes.count()));
    }
}
