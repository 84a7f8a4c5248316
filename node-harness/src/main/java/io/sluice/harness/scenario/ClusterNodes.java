package io.sluice.harness.scenario;

import io.sluice.harness.cluster.Cluster;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Replication;
import io.sluice.streaming.ring.Replication.Tablet;
import io.sluice.streaming.ring.Ring;
import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;

/** Makes the nodes of a run, numbered from 1, and their ring. Not thread-safe. */
final class ClusterNodes {
    /** Of each table. */
    static final int TABLETS = 8;

    private final Shape shape;
    private final Cluster cluster;
    private int made;

    ClusterNodes(Shape shape, Cluster cluster) {
        this.shape = shape;
        this.cluster = cluster;
    }

    /** Those that are there at first; with one token each, at even distances. */
    List<Node> first() throws IOException {
        List<Node> nodes = new ArrayList<>();
        BigInteger step = BigInteger.ONE.shiftLeft(Long.SIZE).divide(BigInteger.valueOf(shape.nodes()));
        for (int i = 0; i < shape.nodes(); i++) {
            long even = Long.MIN_VALUE + step.multiply(BigInteger.valueOf(i)).longValue();
            nodes.add(shape.vnodes() == 1 ? member(List.of(new Token(even))) : member(random(i + 1)));
        }
        return nodes;
    }

    /** One more, with tokens of its own: in the middle of the widest range, or random ones. */
    Node joiningNode(Ring ring) throws IOException {
        return member(shape.vnodes() == 1 ? List.of(middleOfWidest(ring)) : random(made + 1));
    }

    /** One more, in the place of a dead one. */
    Node replacement(Node dead) throws IOException {
        return member(dead.tokens()).in(dead.location().dc(), dead.location().rack());
    }

    private Node member(List<Token> tokens) throws IOException {
        int dc = made % shape.dcs().size();
        int rack = made / shape.dcs().size() % shape.racks();
        made++;
        return new Node(UUID.randomUUID(), "node" + made, cluster.freeAddress(made), tokens)
                .in(shape.dcs().get(dc), "rack" + (rack + 1));
    }

    private List<Token> random(int seed) {
        return new SplittableRandom(seed)
                .longs(shape.vnodes())
                .mapToObj(Token::new)
                .toList();
    }

    /** A token that halves the widest distance between two neighbours. */
    private static Token middleOfWidest(Ring ring) {
        return middleOfWidest(ring, List.of()).orElseThrow();
    }

    /** Where a node with one token can move to so that it gives something up: not beside where it is, if possible. */
    static Token elsewhere(Ring ring, Node mover) {
        return middleOfWidest(ring, mover.tokens()).orElseGet(() -> middleOfWidest(ring));
    }

    private static Optional<Token> middleOfWidest(Ring ring, List<Token> notBeside) {
        List<Long> tokens = ring.nodes().stream()
                .flatMap(node -> node.tokens().stream())
                .map(Token::value)
                .sorted()
                .toList();
        long start = tokens.get(tokens.size() - 1);
        long widest = 0;
        Optional<Token> middle = Optional.empty();
        for (long end : tokens) {
            long width = end - start; // modulo 2^64, as the ring is
            boolean isBeside = notBeside.contains(new Token(start)) || notBeside.contains(new Token(end));
            if (!isBeside && Long.compareUnsigned(width, widest) > 0) {
                widest = width;
                middle = Optional.of(new Token(start + (width >>> 1)));
            }
            start = end;
        }
        return middle;
    }

    /** How data is replicated, tablets aside. */
    Replication replication() {
        if (shape.dcs().size() == 1 && shape.racks() == 1) {
            return new Replication.Simple(shape.replicationFactor());
        }
        Map<String, Integer> factors = new LinkedHashMap<>();
        shape.dcs().forEach(dc -> factors.put(dc, shape.replicationFactor()));
        return new Replication.NetworkTopology(factors);
    }

    /** Eight tablets, dealt out to all nodes but the last, which has just come. */
    Replication tablets(List<Node> nodes) {
        BigInteger step = BigInteger.ONE.shiftLeft(Long.SIZE).divide(BigInteger.valueOf(TABLETS));
        List<Tablet> tablets = new ArrayList<>();
        for (int tablet = 0; tablet < TABLETS; tablet++) {
            long last = Long.MIN_VALUE
                    + step.multiply(BigInteger.valueOf(tablet + 1L)).longValue()
                    - 1;
            List<UUID> replicas = new ArrayList<>();
            for (int replica = 0; replica < shape.replicationFactor(); replica++) {
                replicas.add(nodes.get((tablet + replica) % (nodes.size() - 1)).id());
            }
            tablets.add(new Tablet(new Token(last), replicas));
        }
        return new Replication.Tablets(tablets);
    }
}
