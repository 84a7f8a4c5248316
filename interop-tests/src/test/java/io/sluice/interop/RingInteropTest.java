package io.sluice.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Membership;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Replication;
import io.sluice.streaming.ring.Ring;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.dht.Murmur3Partitioner.LongToken;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.locator.AbstractNetworkTopologySnitch;
import org.apache.cassandra.locator.AbstractReplicationStrategy;
import org.apache.cassandra.locator.EndpointsForRange;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.locator.NetworkTopologyStrategy;
import org.apache.cassandra.locator.SimpleStrategy;
import org.apache.cassandra.locator.TokenMetadata;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Cassandra places ranges on the same replicas as our ring does, now and while a change is in progress. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RingInteropTest {
    private static final String KEYSPACE = "ks";

    @TempDir
    private static Path work = Path.of("");

    @BeforeAll
    void start_cassandra() throws IOException {
        Cassandra.start(work);
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 300);
    }

    /** One topology, as both see it. */
    private record Both(Ring ring, TokenMetadata tokens, AbstractReplicationStrategy strategy) {}

    private static final class Locations extends AbstractNetworkTopologySnitch {
        private final Map<InetAddressAndPort, Node> nodes = new HashMap<>();

        @Override
        public String getRack(InetAddressAndPort endpoint) {
            return node(endpoint).location().rack();
        }

        @Override
        public String getDatacenter(InetAddressAndPort endpoint) {
            return node(endpoint).location().dc();
        }

        private Node node(InetAddressAndPort endpoint) {
            Node node = nodes.get(endpoint);
            return node == null ? nodes.values().iterator().next() : node; // Cassandra asks for itself, too
        }
    }

    private static InetAddressAndPort endpoint(Node node) {
        try {
            return InetAddressAndPort.getByName(node.address().host());
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static List<org.apache.cassandra.dht.Token> tokens(List<Token> tokens) {
        return tokens.stream()
                .<org.apache.cassandra.dht.Token>map(token -> new LongToken(token.value()))
                .toList();
    }

    private static List<Token> randomTokens(Random random, int count) {
        return random.longs(count).mapToObj(Token::new).toList();
    }

    private static Both both(Random random) {
        int dcs = 1 + random.nextInt(3);
        int racks = 1 + random.nextInt(4);
        int vnodes = random.nextBoolean() ? 1 : 1 + random.nextInt(16);
        List<Node> nodes = new ArrayList<>();
        int count = 2 + random.nextInt(14);
        for (int i = 1; i <= count; i++) {
            nodes.add(new Node(new UUID(0, i), "n" + i, new Address("127.0.1." + i, 7000), randomTokens(random, vnodes))
                    .in("dc" + random.nextInt(dcs), "r" + random.nextInt(racks)));
        }
        Replication replication;
        if (random.nextInt(3) == 0) {
            replication = new Replication.Simple(1 + random.nextInt(4));
        } else {
            Map<String, Integer> factors = nodes.stream()
                    .map(node -> node.location().dc())
                    .distinct()
                    .collect(Collectors.toMap(dc -> dc, dc -> 1 + random.nextInt(4)));
            replication = new Replication.NetworkTopology(factors);
        }
        Locations locations = new Locations();
        nodes.forEach(node -> locations.nodes.put(endpoint(node), node));
        DatabaseDescriptor.setEndpointSnitch(locations);
        TokenMetadata metadata = new TokenMetadata(locations);
        for (Node node : nodes) {
            metadata.updateHostId(node.id(), endpoint(node));
            metadata.updateNormalTokens(tokens(node.tokens()), endpoint(node));
        }
        return new Both(new Ring(nodes, replication), metadata, strategy(replication, metadata, locations));
    }

    private static AbstractReplicationStrategy strategy(
            Replication replication, TokenMetadata metadata, Locations locations) {
        if (replication instanceof Replication.Simple simple) {
            return new SimpleStrategy(
                    KEYSPACE, metadata, locations, Map.of("replication_factor", String.valueOf(simple.factor())));
        }
        Map<String, String> factors = new HashMap<>();
        ((Replication.NetworkTopology) replication).factors().forEach((dc, factor) -> factors.put(dc, "" + factor));
        return new NetworkTopologyStrategy(KEYSPACE, metadata, locations, factors);
    }

    private static Set<String> hosts(EndpointsForRange replicas) {
        return replicas.stream()
                .map(replica -> replica.endpoint().getHostAddress(false))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> hosts(Set<Node> nodes) {
        return nodes.stream().map(node -> node.address().host()).collect(Collectors.toCollection(TreeSet::new));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void natural_replicas_are_the_same(long seed) {
        Both both = both(new Random(seed));

        for (TokenRange range : both.ring().ranges()) {
            EndpointsForRange theirs = both.strategy()
                    .calculateNaturalReplicas(new LongToken(range.end().value()), both.tokens());

            assertThat(hosts(both.ring().replicas(range))).as("%s", range).isEqualTo(hosts(theirs));
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void pending_replicas_are_the_same(long seed) {
        Random random = new Random(seed);
        Both both = both(random);
        Ring ring = both.ring();
        Node one = ring.nodes().get(random.nextInt(ring.nodes().size()));
        Ring changing;
        switch (random.nextInt(3)) {
            case 0 -> {
                Node joining = new Node(
                                new UUID(0, 99),
                                "joining",
                                new Address("127.0.1.99", 7000),
                                randomTokens(random, 1 + random.nextInt(8)))
                        .in(one.location().dc(), one.location().rack());
                locations().nodes.put(endpoint(joining), joining);
                both.tokens().updateHostId(joining.id(), endpoint(joining));
                both.tokens().addBootstrapTokens(tokens(joining.tokens()), endpoint(joining));
                changing = ring.with(joining.as(new Membership.Joining()));
            }
            case 1 -> {
                both.tokens().addLeavingEndpoint(endpoint(one));
                changing = ring.with(one.as(new Membership.Leaving()));
            }
            default -> {
                List<Token> target = randomTokens(random, 1);
                both.tokens().addMovingEndpoint(tokens(target).get(0), endpoint(one));
                changing = ring.with(one.withTokens(one.tokens().subList(0, 1)).as(new Membership.Moving(target)));
                both.tokens().removeEndpoint(endpoint(one));
                both.tokens().updateHostId(one.id(), endpoint(one));
                both.tokens().updateNormalTokens(tokens(one.tokens().subList(0, 1)), endpoint(one));
                both.tokens().addMovingEndpoint(tokens(target).get(0), endpoint(one));
            }
        }
        both.tokens().calculatePendingRanges(both.strategy(), KEYSPACE);
        Map<Range<org.apache.cassandra.dht.Token>, EndpointsForRange> theirs =
                both.tokens().getPendingRangesMM(KEYSPACE).asMap();

        Set<Long> ends = new HashSet<>();
        changing.ranges().forEach(range -> ends.add(range.end().value()));
        changing.settled().ranges().forEach(range -> ends.add(range.end().value()));
        for (long end : ends) {
            long token = end == Long.MIN_VALUE ? Long.MAX_VALUE : end;
            Set<String> pending = theirs.entrySet().stream()
                    .filter(entry -> entry.getKey().contains(new LongToken(token)))
                    .flatMap(entry -> hosts(entry.getValue()).stream())
                    .collect(Collectors.toCollection(TreeSet::new));

            assertThat(hosts(changing.pendingReplicas(new Token(token))))
                    .as("token %s", token)
                    .isEqualTo(pending);
        }
    }

    private static Locations locations() {
        return (Locations) DatabaseDescriptor.getEndpointSnitch();
    }
}
