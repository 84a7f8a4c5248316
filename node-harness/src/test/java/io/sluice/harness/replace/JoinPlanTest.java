package io.sluice.harness.replace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.harness.replace.JoinOrder.From;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who sends what, from Cassandra's plan and its ring. */
class JoinPlanTest {
    private static final String A = "10.0.0.1:7000";
    private static final String B = "10.0.0.2:7000";
    private static final String DEAD = "10.0.0.3:7000";
    private static final Replicas RING =
            new Replicas(Map.of("(0,100]", List.of(A, B, DEAD), "(100,0]", List.of(B, DEAD)), Map.of());
    private static final Map<String, List<String>> PLANNED =
            Map.of(A, List.of("(0,50]", "(50,100]"), B, List.of("(100,0]"));

    private static TokenRanges ranges(long start, long end) {
        return TokenRanges.of(TokenRange.of(start, end));
    }

    @Test
    void all_live_replicas_send_each_range() {
        JoinPlan plan = JoinPlan.of("shop", PLANNED, RING, Set.of(A, B), From.ALL_REPLICAS);

        assertThat(plan.bySource()).isEqualTo(Map.of(A, ranges(0, 100), B, TokenRanges.FULL));
        assertThat(plan.ranges()).containsExactly("(0,50]", "(100,0]", "(50,100]");
        assertThat(plan.all()).isEqualTo(TokenRanges.FULL);
    }

    @Test
    void one_is_whom_cassandra_has_chosen() {
        JoinPlan plan = JoinPlan.of("shop", PLANNED, RING, Set.of(A, B), From.ONE);

        assertThat(plan.bySource()).isEqualTo(Map.of(A, ranges(0, 100), B, ranges(100, 0)));
    }

    @Test
    void a_source_that_is_not_alive_is_not_passed_over_in_silence() {
        assertThatThrownBy(() -> JoinPlan.of("shop", PLANNED, RING, Set.of(B), From.ALL_REPLICAS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("from " + A + ", which has no agent or is not alive");
    }

    @Test
    void a_range_that_the_ring_has_in_pieces_is_sent_piece_by_piece_by_those_who_hold_them() {
        Replicas pieces = new Replicas(Map.of("(0,50]", List.of(A, DEAD), "(50,100]", List.of(B, A)), Map.of());

        JoinPlan plan = JoinPlan.of("shop", Map.of(A, List.of("(0,100]")), pieces, Set.of(A, B), From.ALL_REPLICAS);

        assertThat(plan.bySource()).isEqualTo(Map.of(A, ranges(0, 100), B, ranges(50, 100)));
        assertThat(plan.ranges()).containsExactly("(0,100]");
    }

    @Test
    void a_range_whose_replicas_nobody_knows_is_not_taken_from_one_alone_in_silence() {
        Replicas hole = new Replicas(Map.of("(0,50]", List.of(A, B)), Map.of());

        assertThatThrownBy(
                        () -> JoinPlan.of("shop", Map.of(A, List.of("(0,100]")), hole, Set.of(A, B), From.ALL_REPLICAS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("keyspace shop: the ring does not say who holds all of (0,100] (expected: each range that"
                        + " Cassandra would fetch; run again when the nodes agree on the ring)");
    }

    @Test
    void a_look_before_there_is_a_replacement_takes_what_the_dead_one_holds() {
        assertThat(JoinPlan.ofDead("10.0.0.3", RING, Set.of(A, B)))
                .isEqualTo(Map.of(A, List.of("(0,100]"), B, List.of("(100,0]")));
        assertThat(JoinPlan.ofDead("10.0.0.1", RING, Set.of(B))).isEqualTo(Map.of(B, List.of("(0,100]")));
    }

    @Test
    void a_member_is_sent_what_it_owns_by_others_that_may_send() {
        String member = "10.0.0.3:7000";
        Replicas ring = new Replicas(
                Map.of(
                        "(0,10]", List.of(member, A, B),
                        "(10,20]", List.of(B, member),
                        "(20,30]", List.of(member),
                        "(30,0]", List.of(A, B)),
                Map.of());

        JoinPlan.Owned all = JoinPlan.ofMember(member, ring, Set.of(A, B));
        assertThat(all.planned()).isEqualTo(Map.of(A, List.of("(0,10]"), B, List.of("(10,20]")));
        assertThat(all.missing()).as("nobody else is to hold (20,30]").isEmpty();
        assertThat(JoinPlan.ofMember("10.0.0.3", ring, Set.of(A)).missing()).containsExactly("(10,20]");
    }

    @Test
    void ranges_of_a_node_that_nobody_else_may_have_are_known() {
        Replicas ring = new Replicas(
                Map.of("(0,10]", List.of(DEAD, A), "(10,20]", List.of(DEAD), "(20,30]", List.of(B, DEAD)), Map.of());

        assertThat(JoinPlan.alone("10.0.0.3", ring, Set.of(A)::contains)).containsExactly("(10,20]", "(20,30]");
        assertThat(JoinPlan.alone(DEAD, ring, any -> true)).containsExactly("(10,20]");
        assertThat(JoinPlan.alone(A, ring, any -> false)).containsExactly("(0,10]");
    }

    @Test
    void what_is_no_range_is_refused() {
        for (String text : List.of("", "(1,2", "1,2]", "(1,2,3]", "(a,2]", "(1]", "(99999999999999999999,1]")) {
            assertThatThrownBy(() -> JoinPlan.parse(text))
                    .as(text)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("range '" + text + "' (expected: (start,end] of the Murmur3Partitioner)");
        }
    }
}
