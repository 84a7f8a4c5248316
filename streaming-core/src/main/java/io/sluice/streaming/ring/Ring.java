package io.sluice.streaming.ring;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Nodes on the ring of tokens, replicated as SimpleStrategy does it: a range lives on the node whose token ends it and
 * on the next distinct nodes clockwise. Immutable.
 */
public final class Ring {
    private final List<Node> nodes;
    private final int replicationFactor;
    private final NavigableMap<Token, Node> owners = new TreeMap<>();

    /**
     * A ring of these nodes.
     *
     * @param replicationFactor at least 1; with fewer nodes than that, every node holds everything
     */
    public Ring(Collection<Node> nodes, int replicationFactor) {
        if (nodes.isEmpty() || replicationFactor < 1) {
            throw new IllegalArgumentException("ring: " + nodes.size() + " nodes, replication factor "
                    + replicationFactor + " (expected: at least 1 of each)");
        }
        this.nodes = List.copyOf(nodes);
        this.replicationFactor = replicationFactor;
        for (Node node : nodes) {
            for (Token token : node.tokens()) {
                Node other = owners.put(token, node);
                if (other != null) {
                    throw new IllegalArgumentException(
                            "ring: token " + token + " belongs to " + other + " and " + node);
                }
            }
        }
    }

    public List<Node> nodes() {
        return nodes;
    }

    public int replicationFactor() {
        return replicationFactor;
    }

    /** The ranges between neighbouring tokens, ascending by end token; the first one may wrap. */
    public List<TokenRange> ranges() {
        List<TokenRange> ranges = new ArrayList<>();
        Token start = owners.lastKey();
        for (Token end : owners.keySet()) {
            ranges.add(new TokenRange(start, end));
            start = end;
        }
        return ranges;
    }

    /** The nodes that hold a range of {@link #ranges()}, the one that ends it first. */
    public Set<Node> replicas(TokenRange range) {
        Set<Node> replicas = new LinkedHashSet<>();
        Collection<Node> clockwise =
                new ArrayList<>(owners.tailMap(range.end(), true).values());
        clockwise.addAll(owners.headMap(range.end(), false).values());
        for (Node node : clockwise) {
            if (replicas.size() == replicationFactor) {
                break;
            }
            replicas.add(node);
        }
        return replicas;
    }

    /** All tokens that {@code node} holds a replica of. */
    public TokenRanges rangesOf(Node node) {
        return TokenRanges.of(ranges().stream()
                .filter(range -> replicas(range).contains(node))
                .toList());
    }
}
