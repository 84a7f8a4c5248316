package io.sluice.harness.predict;

import io.sluice.sstable.token.Token;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Replication;
import io.sluice.streaming.ring.Ring;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/**
 * A ring as a token allocator makes it: all ranges of one length, dealt out to nodes at random. Immutable.
 *
 * @param nodes 2 to 10,000
 * @param vnodes tokens of each, 1 to 256; one each lie in the order of the nodes
 * @param racks nodes are dealt out to them in turn; with more than one, replicas are spread over them
 */
public record Layout(int nodes, int vnodes, int racks, int replicationFactor) {
    private static final String DC = "datacenter1";
    private static final int MAX_NODES = 10_000;
    private static final int MAX_VNODES = 256;
    private static final int PORT = 7000;

    public Layout {
        require("--nodes", nodes, 2, MAX_NODES);
        require("--vnodes", vnodes, 1, MAX_VNODES);
        require("--replication-factor", replicationFactor, 2, nodes);
        require("--racks", racks, 1, nodes);
    }

    private static void require(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + least + " to " + most + ")");
        }
    }

    /** The ring before anything changes. */
    public Ring ring() {
        List<Integer> places = new ArrayList<>();
        for (int place = 0; place < nodes * vnodes; place++) {
            places.add(place);
        }
        if (vnodes > 1) {
            Collections.shuffle(places, new Random(nodes));
        }
        BigInteger step = BigInteger.ONE.shiftLeft(Long.SIZE).divide(BigInteger.valueOf((long) nodes * vnodes));
        List<Node> members = new ArrayList<>();
        for (int number = 0; number < nodes; number++) {
            List<Token> tokens = new ArrayList<>();
            for (int place : places.subList(number * vnodes, (number + 1) * vnodes)) {
                tokens.add(new Token(Long.MIN_VALUE
                        + 1
                        + step.multiply(BigInteger.valueOf(place)).longValue()));
            }
            members.add(node("node" + (number + 1), tokens, number));
        }
        return new Ring(
                members,
                racks == 1
                        ? new Replication.Simple(replicationFactor)
                        : new Replication.NetworkTopology(Map.of(DC, replicationFactor)));
    }

    private Node node(String name, List<Token> tokens, int number) {
        return new Node(
                        UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)),
                        name,
                        new Address("127.0.0.1", PORT),
                        tokens)
                .in(DC, "rack" + (number % racks + 1));
    }

    /** The last node dies, another takes its place. */
    public TopologyChange replacement(Ring ring) {
        Node dead = ring.nodes().get(ring.nodes().size() - 1);
        return new TopologyChange.Replace(
                dead,
                node(dead.name() + "b", List.of(), nodes - 1)
                        .in(DC, dead.location().rack()));
    }

    /** One more node comes, with tokens that halve the widest ranges, each from the node that gives it up. */
    public TopologyChange join(Ring ring) {
        List<Long> ends = new ArrayList<>();
        for (int range = 0; range < ring.placement().rangeCount(); range++) {
            ends.add(ring.placement().end(range));
        }
        List<long[]> gaps = new ArrayList<>();
        for (int i = 0; i < ends.size(); i++) {
            long start = ends.get(i == 0 ? ends.size() - 1 : i - 1);
            gaps.add(new long[] {start, ends.get(i) - start}); // modulo 2^64, as the ring is
        }
        Collections.shuffle(gaps, new Random(ring.nodes().size()));
        gaps.sort((one, other) -> Long.compareUnsigned(other[1], one[1]));
        List<Token> tokens = gaps.subList(0, Math.min(vnodes, gaps.size())).stream()
                .map(gap -> new Token(gap[0] + (gap[1] >>> 1)))
                .toList();
        int number = ring.nodes().size();
        return new TopologyChange.Bootstrap(node("node" + (number + 1), tokens, number), true);
    }
}
