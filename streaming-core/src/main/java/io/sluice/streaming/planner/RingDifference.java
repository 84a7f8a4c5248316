package io.sluice.streaming.planner;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyChange.Bootstrap;
import io.sluice.streaming.plan.TopologyChange.BulkLoad;
import io.sluice.streaming.plan.TopologyChange.Decommission;
import io.sluice.streaming.plan.TopologyChange.MigrateTablet;
import io.sluice.streaming.plan.TopologyChange.Move;
import io.sluice.streaming.plan.TopologyChange.Rebuild;
import io.sluice.streaming.plan.TopologyChange.RemoveNode;
import io.sluice.streaming.plan.TopologyChange.Replace;
import io.sluice.streaming.ring.Membership;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Replication;
import io.sluice.streaming.ring.Replication.Tablet;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.ring.Ring.Placement;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Compares the replicas of every range before and after a change: a node that gains a range needs it, and those of its
 * previous replicas that the change allows may send it. Not thread-safe: confined to one planner.
 */
final class RingDifference {
    private static final int[] NOBODY = {};

    private final String what;
    private final TopologyChange change;
    private final NodeNumbers nodes;
    private final Demand demand;
    private final Scope scope;

    /**
     * The destinations, and the excluded sources.
     *
     * @param destinations nodes whose needs are planned
     * @param out nodes that must not send
     */
    record Scope(Predicate<Node> destinations, Set<Node> out) {}

    /** @param what the table, for messages */
    RingDifference(String what, TopologyChange change, NodeNumbers nodes, Demand demand, Scope scope) {
        this.what = what;
        this.change = change;
        this.nodes = nodes;
        this.demand = demand;
        this.scope = scope;
    }

    /**
     * Adds the needs of the change on {@code ring}.
     *
     * @throws StreamException of code {@link ErrorCode#NO_SOURCE}, naming the range, if no permitted source of it is up
     */
    void add(Ring ring) {
        if (change instanceof Rebuild rebuild) {
            rebuild(ring, rebuild);
        } else {
            compare(ring.placement(), after(ring).placement());
        }
    }

    /** Adds the ranges that nodes hold in {@code later}, and not in {@code now}. */
    void add(Ring now, Ring later) {
        compare(now.placement(), later.placement());
    }

    private Ring after(Ring ring) {
        if (change instanceof Bootstrap bootstrap) {
            Node joining = bootstrap.joining();
            if (ring.node(joining.id())
                    .filter(known -> known.membership().holdsItsRanges())
                    .isPresent()) {
                throw new IllegalArgumentException(what + ": " + joining
                        + " holds ranges of the ring already (expected: a node that is not in it, or is joining)");
            }
            return ring.with(joining.as(new Membership.Normal()));
        } else if (change instanceof Replace replace) {
            return ring.replace(replace.dead(), replace.replacement());
        } else if (change instanceof Decommission decommission) {
            return ring.without(decommission.leaving());
        } else if (change instanceof RemoveNode remove) {
            return ring.without(remove.dead());
        } else if (change instanceof Move move) {
            return ring.with(move.mover().withTokens(move.tokens()));
        } else if (change instanceof MigrateTablet migrate) {
            return ring.with(migrated(ring.replication(), migrate));
        }
        throw new AssertionError("no ring changes by " + change);
    }

    private static Replication migrated(Replication replication, MigrateTablet migrate) {
        if (!(replication instanceof Replication.Tablets tablets)) {
            throw new IllegalArgumentException(migrate.table() + ": the table has no tablets");
        }
        Tablet migrating = tablets.tablets().stream()
                .filter(tablet -> tablet.last().equals(migrate.last()))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException(migrate.table() + ": no tablet ends at token " + migrate.last()));
        if (!migrating.replicas().contains(migrate.from())) {
            throw new IllegalArgumentException(migrate.table() + ": the tablet that ends at token " + migrate.last()
                    + " has no replica at " + migrate.from() + " (expected: one of " + migrating.replicas() + ")");
        }
        return new Replication.Tablets(tablets.tablets().stream()
                .map(tablet -> tablet.last().equals(migrate.last())
                        ? new Tablet(
                                tablet.last(),
                                tablet.replicas().stream()
                                        .map(id -> id.equals(migrate.from()) ? migrate.to() : id)
                                        .toList())
                        : tablet)
                .toList());
    }

    private void compare(Placement before, Placement after) {
        int[] oldNumbers = numbersOf(before);
        int[] newNumbers = numbersOf(after);
        int oldRange = 0;
        int newRange = 0;
        long start = Math.max(before.end(before.rangeCount() - 1), after.end(after.rangeCount() - 1));
        while (oldRange < before.rangeCount() || newRange < after.rangeCount()) {
            long oldEnd = oldRange < before.rangeCount() ? before.end(oldRange) : Long.MAX_VALUE;
            long newEnd = newRange < after.rangeCount() ? after.end(newRange) : Long.MAX_VALUE;
            boolean isOld = oldRange < before.rangeCount() && (newRange == after.rangeCount() || oldEnd <= newEnd);
            boolean isNew = newRange < after.rangeCount() && (oldRange == before.rangeCount() || newEnd <= oldEnd);
            long end = isOld ? oldEnd : newEnd;
            if (!Placement.isEmpty(start, end)) {
                compareRange(
                        Placement.rangeOf(start, end),
                        replicas(before, oldRange % before.rangeCount(), oldNumbers),
                        replicas(after, newRange % after.rangeCount(), newNumbers));
            }
            start = end;
            oldRange += isOld ? 1 : 0;
            newRange += isNew ? 1 : 0;
        }
    }

    private int[] numbersOf(Placement placement) {
        return placement.nodes().stream().mapToInt(nodes::of).toArray();
    }

    private static int[] replicas(Placement placement, int range, int[] numbersOf) {
        int[] replicas = new int[placement.replicaCount(range)];
        for (int i = 0; i < replicas.length; i++) {
            replicas[i] = numbersOf[placement.replica(range, i)];
        }
        return replicas;
    }

    private void compareRange(TokenRange range, int[] before, int[] after) {
        int[] losing = NOBODY;
        boolean isFirst = true;
        for (int replica : after) {
            if (!contains(before, replica)) {
                losing = isFirst ? without(before, after) : losing;
                isFirst = false;
            }
            if (!contains(before, replica) && includes(replica)) {
                demand.add(replica, range, senders(range, before, losing, replica));
            }
        }
    }

    private int[] senders(TokenRange range, int[] before, int[] losing, int gaining) {
        if (change instanceof Bootstrap bootstrap && bootstrap.isStrict() && losing.length > 0) {
            return alive(range, losing);
        } else if (change instanceof Replace replace) {
            return alive(range, without(before, new int[] {nodes.of(replace.dead())}));
        } else if (change instanceof RemoveNode remove) {
            return alive(range, without(before, new int[] {nodes.of(remove.dead())}));
        } else if (change instanceof Decommission decommission) {
            return alive(range, new int[] {nodes.of(decommission.leaving())});
        } else if (change instanceof Move move && nodes.of(move.mover()) != gaining && losing.length > 0) {
            return alive(range, losing);
        } else if (change instanceof BulkLoad load) {
            return alive(range, new int[] {nodes.of(load.loader())});
        } else if (change instanceof MigrateTablet && losing.length > 0 && isUp(losing[0])) {
            return losing;
        }
        return alive(range, before);
    }

    private void rebuild(Ring ring, Rebuild rebuild) {
        Placement placement = ring.placement();
        int[] numbersOf = numbersOf(placement);
        boolean[] isTarget = new boolean[nodes.count()];
        rebuild.targets().forEach(target -> isTarget[nodes.of(target)] = true);
        boolean[] isWanted = new boolean[nodes.count()];
        rebuild.targets().stream().filter(scope.destinations()).forEach(target -> isWanted[nodes.of(target)] = true);
        boolean[] maySend = new boolean[nodes.count()]; // asked once for each node, not for each range
        for (int number = 0; number < maySend.length; number++) {
            maySend[number] = !isTarget[number] && rebuild.from().allows(nodes.node(number));
        }
        boolean isWhole = rebuild.ranges().equals(TokenRanges.FULL);
        for (int range = 0; range < placement.rangeCount(); range++) {
            int[] replicas = replicas(placement, range, numbersOf);
            if (placement.isEmpty(range) || count(replicas, isWanted) == 0) {
                continue;
            }
            TokenRange all = placement.range(range);
            List<TokenRange> wanted = isWhole
                    ? List.of(all)
                    : TokenRanges.of(all).intersection(rebuild.ranges()).ranges();
            if (wanted.isEmpty()) {
                continue;
            }
            int[] senders = alive(all, those(replicas, maySend));
            for (int replica : replicas) {
                if (isWanted[replica]) {
                    for (TokenRange part : wanted) {
                        demand.add(replica, part, senders);
                    }
                }
            }
        }
    }

    private static int count(int[] numbers, boolean[] isMeant) {
        int count = 0;
        for (int number : numbers) {
            count += isMeant[number] ? 1 : 0;
        }
        return count;
    }

    /** Those numbers that are meant, in their order. */
    private static int[] those(int[] numbers, boolean[] isMeant) {
        int[] meant = new int[count(numbers, isMeant)];
        int next = 0;
        for (int number : numbers) {
            if (isMeant[number]) {
                meant[next++] = number;
            }
        }
        return meant;
    }

    private int[] alive(TokenRange range, int[] allowed) {
        int up = 0;
        for (int source : allowed) {
            up += isUp(source) ? 1 : 0;
        }
        if (up == allowed.length && up > 0) {
            return allowed;
        }
        if (up == 0) {
            throw new StreamException(ErrorCode.NO_SOURCE, what + " " + range + ": " + noneOf(allowed));
        }
        return Arrays.stream(allowed).filter(this::isUp).toArray();
    }

    private String noneOf(int[] allowed) {
        if (allowed.length == 0) {
            return "no node that holds it may send it (expected: another replica, or other sources)";
        }
        String none = "none of the " + allowed.length + " nodes that may send it ";
        String names = " (" + nodes.names(allowed) + "). ";
        return Arrays.stream(allowed).mapToObj(nodes::node).noneMatch(scope.out()::contains)
                ? none + "is up" + names + "Start one of them, or allow other sources."
                : none + "can be used" + names
                        + "Start those that are down, mend why others were left out, or allow other sources.";
    }

    private boolean isUp(int number) {
        Node node = nodes.node(number);
        return node.isUp() && !scope.out().contains(node);
    }

    private boolean includes(int number) {
        return scope.destinations().test(nodes.node(number));
    }

    private static boolean contains(int[] numbers, int number) {
        for (int one : numbers) {
            if (one == number) {
                return true;
            }
        }
        return false;
    }

    private static int[] without(int[] numbers, int[] others) {
        return Arrays.stream(numbers)
                .filter(number -> !contains(others, number))
                .toArray();
    }
}
