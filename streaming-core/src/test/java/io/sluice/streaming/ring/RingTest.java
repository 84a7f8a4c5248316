package io.sluice.streaming.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ring.Replication.Tablet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RingTest {
    private final Node a = node(1, "r1", -100);
    private final Node b = node(2, "r1", 0);
    private final Node c = node(3, "r2", 100);
    private final Node d = node(4, "r3", 200);

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 300);
    }

    @Test
    void simple_strategy_takes_the_next_distinct_nodes_and_wraps_around() {
        Ring ring = new Ring(List.of(a, b, c, d), 2);

        assertThat(ring.replicas(new Token(150))).containsExactly(d, a);
        assertThat(ring.replicas(new Token(Long.MAX_VALUE))).containsExactly(a, b);
        assertThat(ring.replicas(new Token(-100))).containsExactly(a, b);
        assertThat(ring.ranges().get(0)).isEqualTo(TokenRange.of(200, -100));
    }

    @Test
    void a_rack_gives_a_second_node_only_where_there_are_too_few_racks() {
        Replication three = new Replication.NetworkTopology(Map.of("dc1", 3));
        Replication four = new Replication.NetworkTopology(Map.of("dc1", 4));

        assertThat(new Ring(List.of(a, b, c, d), three).replicas(new Token(-100)))
                .containsExactly(a, c, d);
        assertThat(new Ring(List.of(a, b, c, d), four).replicas(new Token(-100)))
                .containsExactly(a, b, c, d);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void network_topology_agrees_with_a_walk_step_by_step(long seed) {
        Random random = new Random(seed);
        Map<String, Integer> factors = Map.of("dc1", random.nextInt(5), "dc2", random.nextInt(4), "dc4", 2);
        List<Node> nodes = nodes(random);
        Ring ring = new Ring(nodes, new Replication.NetworkTopology(factors));
        NaiveStrategy naive = new NaiveStrategy(nodes, factors);

        for (TokenRange range : ring.ranges()) {
            assertThat(new HashSet<>(ring.replicas(range))).as("%s", range).isEqualTo(naive.replicas(range.end()));
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void the_primary_ranges_of_all_nodes_are_the_whole_ring_once(long seed) {
        Random random = new Random(seed);
        Ring ring = new Ring(nodes(random), 1 + random.nextInt(3));

        TokenRanges all = TokenRanges.NONE;
        for (Node node : ring.nodes()) {
            assertThat(all.intersection(ring.primaryRangesOf(node))).isEqualTo(TokenRanges.NONE);
            all = all.union(ring.primaryRangesOf(node));
        }

        assertThat(all).isEqualTo(TokenRanges.FULL);
    }

    @Test
    void a_joining_node_holds_nothing_and_waits_for_its_ranges() {
        Ring ring = new Ring(List.of(a, b, c, node(5, "r1", 50).as(new Membership.Joining())), 1);

        assertThat(ring.replicas(new Token(40))).containsExactly(c);
        assertThat(ring.pendingReplicas(new Token(40))).containsExactly(node(5, "r1", 50));
        assertThat(ring.pendingReplicas(new Token(60))).isEmpty();
        assertThat(ring.pendingRangesOf(node(5, "r1", 50))).isEqualTo(TokenRanges.of(TokenRange.of(0, 50)));
    }

    @Test
    void a_leaving_node_holds_its_ranges_until_their_heirs_have_them() {
        Ring ring = new Ring(List.of(a, b.as(new Membership.Leaving()), c), 1);

        assertThat(ring.replicas(new Token(-1))).containsExactly(b);
        assertThat(ring.pendingReplicas(new Token(-1))).containsExactly(c);
    }

    @Test
    void a_moving_node_has_two_places() {
        Ring ring = new Ring(List.of(a, b.as(new Membership.Moving(List.of(new Token(150)))), c, d), 1);

        assertThat(ring.replicas(new Token(-1))).containsExactly(b);
        assertThat(ring.pendingReplicas(new Token(-1))).containsExactly(c);
        assertThat(ring.pendingReplicas(new Token(150))).containsExactly(b);
    }

    @Test
    void a_replacing_node_waits_for_what_the_dead_one_held() {
        Node replacement = new Node(new UUID(0, 9), "new", b.address(), List.of())
                .in("dc1", "r1")
                .as(new Membership.Replacing(b.id()));
        Ring ring = new Ring(List.of(a, b.down(), c, replacement), 2);

        assertThat(ring.pendingRangesOf(replacement)).isEqualTo(ring.rangesOf(b));
        assertThat(ring.settled().nodes()).containsExactly(a, replacement, c);
    }

    @Test
    void tablets_live_where_they_are_put() {
        Ring ring = new Ring(
                List.of(a, b, c),
                new Replication.Tablets(List.of(
                        new Tablet(new Token(0), List.of(a.id(), b.id())),
                        new Tablet(new Token(Long.MAX_VALUE), List.of(b.id()), List.of(c.id())))));

        assertThat(ring.replicas(new Token(-5))).containsExactly(a, b);
        assertThat(ring.replicas(new Token(5))).containsExactly(b);
        assertThat(ring.pendingReplicas(new Token(5))).containsExactly(c);
        assertThat(ring.rangesOf(b)).isEqualTo(TokenRanges.FULL);
        assertThat(ring.ranges()).containsExactly(TokenRange.of(Long.MIN_VALUE, 0), TokenRange.of(0, Long.MIN_VALUE));
    }

    @Test
    void names_the_token_that_two_nodes_claim() {
        assertThatThrownBy(() -> new Ring(List.of(a, node(7, "r1", -100)), 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ring: token -100 belongs to n1 and n7");
    }

    private static List<Node> nodes(Random random) {
        List<Node> nodes = new ArrayList<>();
        int count = 1 + random.nextInt(12);
        int racks = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            List<Token> tokens =
                    random.longs(1 + random.nextInt(8)).mapToObj(Token::new).toList();
            nodes.add(new Node(new UUID(0, i), "n" + i, new Address("127.0.0.1", 7000 + i), tokens)
                    .in("dc" + (1 + random.nextInt(3)), "r" + random.nextInt(racks)));
        }
        return nodes;
    }

    private static Node node(int number, String rack, long token) {
        Address address = new Address("127.0.0.1", 7000 + number);
        return new Node(new UUID(0, number), "n" + number, address, List.of(new Token(token))).in("dc1", rack);
    }
}
