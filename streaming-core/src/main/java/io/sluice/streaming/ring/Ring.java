package io.sluice.streaming.ring;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ring.Replication.Tablet;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The nodes of the token ring, and the replication of one keyspace (or, with tablets, of one table). Immutable; a
 * change returns a new ring.
 */
public final class Ring {
    private final Replication replication;
    private final TokenTable tokens;
    private final Placement placement;

    /**
     * A ring with SimpleStrategy.
     *
     * @param replicationFactor at least 1; with fewer nodes than that, every node holds everything
     */
    public Ring(Collection<Node> nodes, int replicationFactor) {
        this(nodes, new Replication.Simple(replicationFactor));
    }

    /**
     * A ring of these nodes, replicated in this way.
     *
     * @throws IllegalArgumentException if a node or token is duplicated, no node has a token, or a replica of a tablet
     *     is not in the ring
     */
    public Ring(Collection<Node> nodes, Replication replication) {
        this(TokenTable.of(List.copyOf(nodes)), replication);
        if (new LinkedHashSet<>(nodes).size() < nodes.size()) {
            throw new IllegalArgumentException("ring: " + nodes + " (expected: no node twice)");
        }
    }

    private Ring(TokenTable tokens, Replication replication) {
        this.tokens = tokens;
        this.replication = replication;
        this.placement = replication instanceof Replication.Tablets tablets
                ? placed(tokens.nodes(), tablets.tablets())
                : walked(tokens, replication);
    }

    private static Placement walked(TokenTable tokens, Replication replication) {
        if (tokens.tokens().length == 0) {
            throw new IllegalArgumentException("ring: no tokens (expected: at least one node that has some)");
        }
        return ClockwiseWalk.place(tokens, replication);
    }

    private static Placement placed(List<Node> nodes, List<Tablet> tablets) {
        Map<UUID, Integer> numbers = new HashMap<>();
        nodes.forEach(node -> numbers.put(node.id(), numbers.size()));
        int[] offsets = new int[tablets.size() + 1];
        for (int i = 0; i < tablets.size(); i++) {
            offsets[i + 1] = offsets[i] + tablets.get(i).replicas().size();
        }
        int[] replicas = tablets.stream()
                .flatMap(tablet -> tablet.replicas().stream())
                .mapToInt(id -> {
                    Integer number = numbers.get(id);
                    if (number == null) {
                        throw new IllegalArgumentException(
                                "ring: a tablet has a replica on node " + id + ", which is not in it");
                    }
                    return number;
                })
                .toArray();
        long[] ends =
                tablets.stream().mapToLong(tablet -> tablet.last().value()).toArray();
        return new Placement(nodes, ends, offsets, replicas);
    }

    /** All nodes, including those that hold nothing yet. */
    public List<Node> nodes() {
        return tokens.nodes();
    }

    /** The node with this id, or empty if it is not in the ring. */
    public Optional<Node> node(UUID id) {
        return nodes().stream().filter(node -> node.id().equals(id)).findFirst();
    }

    /** How it is replicated. */
    public Replication replication() {
        return replication;
    }

    /**
     * How many nodes hold a range if there are enough of them: of all data centres together, or of the widest tablet.
     */
    public int replicationFactor() {
        if (replication instanceof Replication.Simple simple) {
            return simple.factor();
        }
        if (replication instanceof Replication.NetworkTopology topology) {
            return topology.factors().values().stream()
                    .mapToInt(Integer::intValue)
                    .sum();
        }
        return IntStream.range(0, placement.rangeCount())
                .map(placement::replicaCount)
                .max()
                .orElseThrow();
    }

    /** The same nodes with another replication. */
    public Ring with(Replication other) {
        return other.equals(replication) ? this : new Ring(tokens, other);
    }

    /** This ring with {@code node} added or, if it is a member, replaced. */
    public Ring with(Node node) {
        List<Node> others = new ArrayList<>(nodes());
        int at = others.indexOf(node);
        if (at < 0) {
            others.add(node);
        } else {
            others.set(at, node);
        }
        return new Ring(others, replication);
    }

    /**
     * This ring without {@code node}.
     *
     * @throws IllegalArgumentException if it is not a member, or still holds tablets, which must migrate first
     */
    public Ring without(Node node) {
        List<Node> others = new ArrayList<>(nodes());
        if (!others.remove(node)) {
            throw new IllegalArgumentException("ring: " + node + " is not in it");
        }
        return new Ring(others, replication);
    }

    /** This ring after {@code replacement} has taken over the tokens and tablets of {@code replaced}. */
    public Ring replace(Node replaced, Node replacement) {
        List<Node> others = new ArrayList<>(nodes());
        others.remove(replacement);
        int at = others.indexOf(replaced);
        if (at < 0) {
            throw new IllegalArgumentException("ring: " + replaced + " is not in it");
        }
        others.set(at, replacement.withTokens(others.get(at).tokens()).as(new Membership.Normal()));
        return new Ring(others, substituted(replaced, replacement));
    }

    private Replication substituted(Node replaced, Node replacement) {
        if (replication instanceof Replication.Tablets tablets) {
            return new Replication.Tablets(tablets.tablets().stream()
                    .map(tablet -> tablet.substitute(replaced.id(), replacement.id()))
                    .toList());
        }
        return replication;
    }

    /** The ranges between neighbouring tokens, ascending by end token; the first one may wrap. */
    public List<TokenRange> ranges() {
        List<TokenRange> ranges = new ArrayList<>(placement.rangeCount());
        for (int range = 0; range < placement.rangeCount(); range++) {
            if (!placement.isEmpty(range)) {
                ranges.add(placement.range(range));
            }
        }
        return ranges;
    }

    /** The nodes that hold a range of {@link #ranges()}, or part of one, in clockwise order. */
    public Set<Node> replicas(TokenRange range) {
        return new LinkedHashSet<>(placement.replicas(placement.rangeOf(range)));
    }

    /** The nodes that hold {@code token}, in clockwise order. */
    public Set<Node> replicas(Token token) {
        return new LinkedHashSet<>(placement.replicas(placement.rangeOf(token.value())));
    }

    /** The nodes that will hold {@code token} when all changes in progress are done, and do not hold it now. */
    public Set<Node> pendingReplicas(Token token) {
        Set<Node> pending = settled().replicas(token);
        pending.removeAll(replicas(token));
        return pending;
    }

    /** All tokens that {@code node} holds a replica of. */
    public TokenRanges rangesOf(Node node) {
        return rangesWhere(range -> placement.replicas(range).contains(node));
    }

    /** All tokens that {@code node} will hold when all changes in progress are done, and does not hold now. */
    public TokenRanges pendingRangesOf(Node node) {
        return settled().rangesOf(node).minus(rangesOf(node));
    }

    /**
     * All tokens of which {@code node} is the first replica: those of all nodes are the whole ring, each token once.
     */
    public TokenRanges primaryRangesOf(Node node) {
        return rangesWhere(range -> placement.replicaCount(range) > 0
                && placement.replicas(range).get(0).equals(node));
    }

    private TokenRanges rangesWhere(IntPredicate predicate) {
        List<TokenRange> ranges = new ArrayList<>();
        for (int range = 0; range < placement.rangeCount(); range++) {
            if (!placement.isEmpty(range) && predicate.test(range)) {
                ranges.add(placement.range(range));
            }
        }
        return TokenRanges.of(ranges);
    }

    /** This ring after all changes in progress: every member is a normal one. */
    public Ring settled() {
        if (nodes().stream().allMatch(node -> node.membership() instanceof Membership.Normal) && !hasPendingTablets()) {
            return this;
        }
        Ring settled = new Ring(nodes(), settled(replication));
        for (Node node : nodes()) {
            settled = settled.settle(node);
        }
        return settled;
    }

    private Ring settle(Node node) {
        Membership membership = node.membership();
        if (membership instanceof Membership.Leaving) {
            return without(node);
        }
        if (membership instanceof Membership.Moving moving) {
            return with(node.withTokens(moving.target()).as(new Membership.Normal()));
        }
        if (membership instanceof Membership.Replacing replacing) {
            return node(replacing.replaced()).map(dead -> replace(dead, node)).orElse(this);
        }
        return membership instanceof Membership.Joining ? with(node.as(new Membership.Normal())) : this;
    }

    private boolean hasPendingTablets() {
        return replication instanceof Replication.Tablets tablets
                && tablets.tablets().stream()
                        .anyMatch(tablet -> !tablet.pending().equals(tablet.replicas()));
    }

    private static Replication settled(Replication replication) {
        return replication instanceof Replication.Tablets tablets
                ? new Replication.Tablets(
                        tablets.tablets().stream().map(Tablet::settled).toList())
                : replication;
    }

    /** Ranges and replicas by number. */
    public Placement placement() {
        return placement;
    }

    @Override
    public String toString() {
        return "ring of " + nodes().size() + " nodes, " + replication;
    }

    /**
     * Which nodes hold which range, by number: ranges ascending by end, nodes as in {@link #nodes()}. For loops over
     * hundreds of thousands of ranges; otherwise use {@link Ring}. Immutable.
     */
    public static final class Placement {
        private final List<Node> nodes;
        private final long[] ends;
        private final int[] offsets;
        private final int[] replicas;

        /**
         * Takes over the arrays.
         *
         * @param offsets of length {@code ends.length + 1}: where in {@code replicas} those of a range begin
         */
        Placement(List<Node> nodes, long[] ends, int[] offsets, int[] replicas) {
            this.nodes = nodes;
            this.ends = ends;
            this.offsets = offsets;
            this.replicas = replicas;
        }

        /** All nodes of the ring; a node's number is its place here. */
        public List<Node> nodes() {
            return nodes;
        }

        /** How many ranges there are; at least one. */
        public int rangeCount() {
            return ends.length;
        }

        /** The last token of a range, included. Range 0 begins after the end of the last range and so may wrap. */
        public long end(int range) {
            return ends[range];
        }

        /** How many nodes hold a range. */
        public int replicaCount(int range) {
            return offsets[range + 1] - offsets[range];
        }

        /** The number of a node that holds a range; the primary one has the {@code index} 0. */
        public int replica(int range, int index) {
            return replicas[offsets[range] + index];
        }

        /** The number of the range that holds {@code token}. */
        public int rangeOf(long token) {
            int at = Arrays.binarySearch(ends, token);
            int range = at >= 0 ? at : -at - 1;
            return range == ends.length ? 0 : range;
        }

        /** A range with a token in it, in the form that {@link io.sluice.sstable.token.TokenRanges} uses. */
        public TokenRange range(int range) {
            return rangeOf(start(range), ends[range]);
        }

        /** Whether no key has a token in a range. */
        public boolean isEmpty(int range) {
            return isEmpty(start(range), ends[range]);
        }

        private long start(int range) {
            return range == 0 ? ends[ends.length - 1] : ends[range - 1];
        }

        /** The range of these tokens, the first one excluded, which are of the ring. */
        public static TokenRange rangeOf(long start, long end) {
            return TokenRange.of(
                    start == Long.MAX_VALUE ? Long.MIN_VALUE : start, end == Long.MAX_VALUE ? Long.MIN_VALUE : end);
        }

        /**
         * Whether no key has a token between these: only the greatest and the least one are neighbours, and no key has
         * the least. As a range they would be the whole ring.
         */
        public static boolean isEmpty(long start, long end) {
            return start == Long.MAX_VALUE && end == Long.MIN_VALUE;
        }

        /** The nodes that hold a range, the primary one first. */
        public List<Node> replicas(int range) {
            return new AbstractList<>() {
                @Override
                public Node get(int index) {
                    return nodes.get(replica(range, index));
                }

                @Override
                public int size() {
                    return replicaCount(range);
                }
            };
        }

        /** The number of the range that is, or holds all of, {@code range}. */
        int rangeOf(TokenRange range) {
            return rangeOf(
                    range.end().equals(Token.MINIMUM)
                            ? Long.MAX_VALUE
                            : range.end().value());
        }
    }
}
