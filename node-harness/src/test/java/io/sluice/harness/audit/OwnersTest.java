package io.sluice.harness.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.key.Murmur3;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Replication;
import io.sluice.streaming.ring.Ring;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Two implementations that share nothing say the same: of tokens, and of who holds them. */
class OwnersTest {
    private final SplittableRandom random = new SplittableRandom(19);

    @Test
    void tokens_of_keys_of_all_lengths_are_those_of_the_partitioner() {
        for (int length = 0; length < 70; length++) {
            for (int round = 0; round < 20; round++) {
                byte[] key = new byte[length];
                random.nextBytes(key);

                assertThat(KeyToken.of(key)).isEqualTo(Murmur3.tokenOf(key).value());
            }
        }
    }

    private static AuditOrder.Ring order(Ring ring, Optional<Integer> simple, Optional<Map<String, Integer>> byDc) {
        List<AuditOrder.Member> members = ring.nodes().stream()
                .map(node -> new AuditOrder.Member(
                        node.name(),
                        node.location().dc(),
                        node.location().rack(),
                        node.tokens().stream().map(Token::value).toList()))
                .toList();
        return new AuditOrder.Ring(members, simple, byDc, Optional.empty());
    }

    private List<Node> nodes(int count, int dcs, int racks) {
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<Token> tokens = random.longs(3).mapToObj(Token::new).toList();
            nodes.add(new Node(new UUID(1, i), "n" + i, new Address("127.0.0.1", 7000), tokens)
                    .in("dc" + i % dcs, "rack" + random.nextInt(racks)));
        }
        return nodes;
    }

    /** Each token of the ring, its neighbours, both ends, and any. */
    private List<Long> asked(Ring ring) {
        List<Long> tokens = ring.nodes().stream()
                .flatMap(node -> node.tokens().stream())
                .map(Token::value)
                .flatMap(token -> LongStream.of(token - 1, token, token + 1).boxed())
                .collect(Collectors.toCollection(ArrayList::new));
        tokens.addAll(List.of(Long.MIN_VALUE + 1, Long.MAX_VALUE, 0L, random.nextLong(), random.nextLong()));
        return tokens;
    }

    private void assertSame(Ring ring, AuditOrder.Ring order) {
        Owners owners = new Owners(order);
        for (long token : asked(ring)) {
            assertThat(owners.of(token))
                    .as("token %d of %s", token, order)
                    .isEqualTo(ring.replicas(new Token(token)).stream()
                            .map(Node::name)
                            .collect(Collectors.toSet()));
        }
    }

    @Test
    void simple_placement_is_that_of_the_ring() {
        for (int round = 0; round < 50; round++) {
            int factor = 1 + round % 4;
            Ring ring = new Ring(nodes(1 + round % 7, 1, 1), factor);

            assertSame(ring, order(ring, Optional.of(factor), Optional.empty()));
        }
    }

    @Test
    void placement_by_data_centre_and_rack_is_that_of_the_ring() {
        for (int round = 0; round < 100; round++) {
            Map<String, Integer> factors = Map.of("dc0", 1 + round % 3, "dc1", round % 3);
            Ring ring = new Ring(nodes(3 + round % 8, 2, 1 + round % 4), new Replication.NetworkTopology(factors));

            assertSame(ring, order(ring, Optional.empty(), Optional.of(factors)));
        }
    }

    @Test
    void a_tablet_holds_the_tokens_up_to_its_last() {
        AuditOrder.Ring ring = new AuditOrder.Ring(
                List.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(List.of(
                        new AuditOrder.Tablet(0, List.of("a")), new AuditOrder.Tablet(Long.MAX_VALUE, List.of("b")))));
        Owners owners = new Owners(ring);

        assertThat(owners.of(0)).containsExactly("a");
        assertThat(owners.of(1)).containsExactly("b");
        assertThat(owners.of(Long.MIN_VALUE)).containsExactly("a");
    }
}
