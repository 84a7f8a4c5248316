package io.sluice.streaming.ring;

import io.sluice.streaming.ring.Node.Location;
import io.sluice.streaming.ring.Ring.Placement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the replicas of every range of a ring of tokens, in time proportional to their number.
 *
 * <p>A strategy walks clockwise from the end of a range and takes the first nodes that suit it. Walking the ring
 * counter-clockwise instead, and moving each node met to the front of a list, that list always holds the nodes in the
 * order in which a clockwise walk would meet them, so that no walk is repeated. The same holds for racks: of a data
 * centre with as many racks as replicas, the first node of each of the first racks is taken; if there are fewer racks,
 * the first node of each, and the first of the others to make up the number. Not thread-safe: each instance makes one
 * walk.
 */
final class ClockwiseWalk {
    private final TokenTable table;
    /** The data centre of each node, or -1 if the data centre has no replicas. */
    private final int[] dcOf;

    private final int[] rackOf;
    private final List<Integer> dcOfRack = new ArrayList<>();
    /** For each data centre: the number of replicas, and the number of racks that hold at least one of them. */
    private final int[] wanted;

    private final int[] wantedRacks;
    private final int[] firstOfRack;
    private final int[] metAt;
    private final Recency nodes;
    private final Recency racks;

    private ClockwiseWalk(TokenTable table, List<String> dcs, int[] factors, Place place) {
        int count = table.nodes().size();
        this.table = table;
        this.dcOf = new int[count];
        this.rackOf = new int[count];
        this.metAt = new int[count];
        this.wanted = new int[dcs.size()];
        this.wantedRacks = new int[dcs.size()];
        number(dcs, place);
        for (int dc = 0; dc < factors.length; dc++) {
            wanted[dc] = Math.min(wanted[dc], factors[dc]);
            wantedRacks[dc] = Math.min(wantedRacks[dc], factors[dc]);
        }
        this.firstOfRack = new int[dcOfRack.size()];
        this.nodes = new Recency(dcOf, dcs.size());
        this.racks = new Recency(dcOfRack.stream().mapToInt(Integer::intValue).toArray(), dcs.size());
    }

    /** The location of a node as the strategy sees it. */
    private interface Place {
        Location of(Node node);
    }

    /** The placement of {@code replication}, which must not be tablets. */
    static Placement place(TokenTable table, Replication replication) {
        if (replication instanceof Replication.Simple simple) {
            int[] factors = {simple.factor()};
            return new ClockwiseWalk(table, List.of(Location.UNKNOWN.dc()), factors, node -> Location.UNKNOWN).walk();
        }
        if (replication instanceof Replication.NetworkTopology topology) {
            int[] factors = topology.factors().values().stream()
                    .mapToInt(Integer::intValue)
                    .toArray();
            return new ClockwiseWalk(table, List.copyOf(topology.factors().keySet()), factors, Node::location).walk();
        }
        throw new AssertionError("no walk for " + replication);
    }

    /** Numbers data centres and racks, and counts the nodes and racks of each data centre. */
    private void number(List<String> dcs, Place place) {
        Map<Location, Integer> rackNumbers = new HashMap<>();
        for (int node = 0; node < dcOf.length; node++) {
            Location location = place.of(table.nodes().get(node));
            int dc = dcs.indexOf(location.dc());
            dcOf[node] = dc;
            boolean counts = dc >= 0
                    && !table.nodes().get(node).tokens().isEmpty()
                    && table.nodes().get(node).membership().holdsItsRanges();
            if (counts) {
                wanted[dc]++;
                rackOf[node] = rackNumbers.computeIfAbsent(location, rack -> {
                    wantedRacks[dc]++;
                    dcOfRack.add(dc);
                    return dcOfRack.size() - 1;
                });
            }
        }
    }

    private Placement walk() {
        int ranges = table.tokens().length;
        int width = 0;
        for (int replicas : wanted) {
            width += replicas;
        }
        int[] replicas = new int[Math.multiplyExact(ranges, width)];
        int[] offsets = new int[ranges + 1];
        // The first round only fills the lists: a range near the end of the ring has replicas at its beginning.
        for (int step = 0; step < 2 * ranges; step++) {
            int range = ranges - 1 - step % ranges;
            meet(table.owners()[range], step);
            if (step >= ranges) {
                take(replicas, range * width);
                offsets[range + 1] = (range + 1) * width;
            }
        }
        return new Placement(table.nodes(), table.tokens(), offsets, replicas);
    }

    private void meet(int node, int step) {
        if (dcOf[node] < 0) {
            return;
        }
        metAt[node] = step;
        nodes.touch(node);
        firstOfRack[rackOf[node]] = node;
        racks.touch(rackOf[node]);
    }

    private void take(int[] replicas, int from) {
        int to = from;
        for (int dc = 0; dc < wanted.length; dc++) {
            int rack = racks.first(dc);
            for (int i = 0; i < wantedRacks[dc]; i++) {
                insert(replicas, from, to++, firstOfRack[rack]);
                rack = racks.next(rack);
            }
            int node = nodes.first(dc);
            for (int more = wanted[dc] - wantedRacks[dc]; more > 0; node = nodes.next(node)) {
                if (firstOfRack[rackOf[node]] != node) {
                    insert(replicas, from, to++, node);
                    more--;
                }
            }
        }
    }

    /** Keeps the replicas of a range in clockwise order: the one met last is the nearest. */
    private void insert(int[] replicas, int from, int to, int node) {
        int at = to;
        while (at > from && metAt[replicas[at - 1]] < metAt[node]) {
            replicas[at] = replicas[at - 1];
            at--;
        }
        replicas[at] = node;
    }
}
