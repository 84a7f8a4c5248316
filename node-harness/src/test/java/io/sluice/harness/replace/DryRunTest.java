package io.sluice.harness.replace;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.agent.AgentMessages.Arrivals;
import io.sluice.harness.agent.AgentMessages.Hook;
import io.sluice.harness.agent.AgentMessages.Landed;
import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.harness.agent.HookState;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an operator learns before the new node is started, and while it waits. */
class DryRunTest {
    private static final String A = "10.0.0.1:7000";
    private static final String B = "10.0.0.2:7000";
    private static final String DEAD = "10.0.0.3:7000";
    private static final String NEW = "10.0.0.4:7000";
    private static final FakeAgent.Ring QUIET = new FakeAgent.Ring("s1", List.of(A, B), List.of(DEAD), List.of());
    private static final Replicas HOLDERS =
            new Replicas(Map.of("(0,100]", List.of(A, B, DEAD), "(100,0]", List.of(B, DEAD)), Map.of());
    private static final TableRef USERS = new TableRef(new UUID(1, 1), "shop", "users");
    private static final TableRef EVENTS = new TableRef(new UUID(1, 2), "logs", "events");
    private static final long MEGA = 1_000_000;

    private final List<String> screen = new ArrayList<>();
    private FakeAgent a;
    private FakeAgent b;

    @BeforeEach
    void start() throws IOException {
        a = new FakeAgent(A);
        b = new FakeAgent(B);
        for (FakeAgent agent : List.of(a, b)) {
            agent.ring(QUIET);
            agent.data(Map.of(USERS, 100 * MEGA), HOLDERS);
        }
    }

    @AfterEach
    void stop() throws IOException {
        a.close();
        b.close();
    }

    private boolean run(long rate, Map<String, String> left, FakeAgent... agents)
            throws IOException, InterruptedException {
        return run(Operation.REPLACE, Optional.of("10.0.0.3"), rate, left, agents);
    }

    private boolean run(
            Operation operation, Optional<String> dead, long rate, Map<String, String> left, FakeAgent... agents)
            throws IOException, InterruptedException {
        JoinOrder order = new JoinOrder(
                operation, dead, "10.0.0.4", JoinOrder.From.ALL_REPLICAS, Duration.ofSeconds(1), Optional.empty());
        Members members =
                new Members(List.of(agents).stream().map(FakeAgent::client).toList());
        return new Join(order, members, () -> new TablesNow(left, Map.of()), new JoinProgress(screen::add))
                .dryRun(rate);
    }

    @Test
    void before_there_is_a_new_node_it_shows_who_would_send_how_much_and_for_how_long() throws Exception {
        assertThat(run(50 * MEGA, Map.of(), a, b)).isTrue();

        assertThat(screen)
                .containsExactly(
                        "no agent of 10.0.0.4 answers",
                        "plan: " + A + " sends 1 ranges of keyspace shop, 1 tables, 95.37 MiB",
                        "plan: " + B + " sends 1 ranges of keyspace shop, 1 tables, 95.37 MiB",
                        "keyspace shop: 190.73 MiB from 2 nodes",
                        "in all 190.73 MiB, about 4 s at 47.68 MiB/s (assumed; --rate assumes another), and the time of"
                                + " digests",
                        "room: 190.73 MiB needed at the new node, what is free there is checked when its agent"
                                + " answers");
        assertThat(a.orders()).isEmpty();
        assertThat(b.orders()).isEmpty();
    }

    @Test
    void before_a_node_bootstraps_it_says_when_the_plan_is_known() throws Exception {
        assertThat(run(Operation.BOOTSTRAP, Optional.empty(), MEGA, Map.of(), a, b))
                .isTrue();

        assertThat(screen)
                .containsExactly(
                        "no agent of 10.0.0.4 answers",
                        "who sends what, and how much, is known when the new node waits: it chooses its tokens then");
    }

    @Test
    void before_there_is_a_new_node_refusals_are_said_already() throws Exception {
        b.ring(new FakeAgent.Ring("s2", List.of(A, B), List.of(DEAD), List.of("10.0.0.9:7000")));

        assertThat(run(MEGA, Map.of(), a, b)).isFalse();

        assertThat(screen)
                .anyMatch(line -> line.startsWith("refused: the nodes do not agree on the schema: s1, s2"))
                .anyMatch(line -> line.startsWith("refused: node 10.0.0.9:7000 joins, leaves or moves"));
    }

    @Test
    void keyspaces_that_are_left_to_cassandra_are_named_and_not_counted() throws Exception {
        a.data(Map.of(USERS, 100 * MEGA, EVENTS, 7 * MEGA), HOLDERS);

        assertThat(run(MEGA, Map.of("shop", "shop.users has an index"), a, b)).isTrue();

        assertThat(screen)
                .contains("keyspace shop is left to Cassandra: shop.users has an index")
                .noneMatch(line -> line.startsWith("plan:") && line.contains("shop"));
    }

    @Test
    void a_keyspace_that_the_dead_node_alone_had_is_named() throws Exception {
        Replicas deadAlone = new Replicas(Map.of("(0,100]", List.of(DEAD), "(100,0]", List.of(B)), Map.of());
        for (FakeAgent agent : List.of(a, b)) {
            agent.data(Map.of(USERS, 100 * MEGA), deadAlone);
        }

        assertThat(run(MEGA, Map.of(), a, b)).isTrue();

        assertThat(screen)
                .contains("missing: keyspace shop, 1 of its ranges have no live replica, as (0,100]: what the dead node"
                        + " alone had is lost, unless a backup has it");
    }

    @Test
    void what_a_node_has_that_lives_without_an_agent_is_not_called_lost() throws Exception {
        assertThat(run(MEGA, Map.of(), a)).isFalse();

        assertThat(screen)
                .anyMatch(line -> line.startsWith("refused: node " + B + " is alive and has no agent"))
                .noneMatch(line -> line.startsWith("missing:"));
    }

    /** Seen of 4.1.10 and 5.0.9: nothing would be held, and nothing brought. */
    @Test
    void a_range_whose_replicas_are_all_dead_is_refused_as_cassandra_does() throws Exception {
        String down = "10.0.0.5:7000";
        for (FakeAgent agent : List.of(a, b)) {
            agent.ring(new FakeAgent.Ring("s1", List.of(A, B), List.of(DEAD, down), List.of()));
            agent.data(
                    Map.of(USERS, 100 * MEGA),
                    new Replicas(Map.of("(0,100]", List.of(A, DEAD), "(100,0]", List.of(DEAD, down)), Map.of()));
        }

        assertThat(run(MEGA, Map.of(), a, b)).isFalse();

        assertThat(screen)
                .contains("refused: keyspace shop: none of the 2 replicas of range (100,0] is alive: Cassandra ends the"
                        + " start of a new node then, unable to find sufficient sources (expected: one that is alive;"
                        + " start " + down + ")")
                .noneMatch(line -> line.startsWith("missing:"));
    }

    @Test
    void while_a_node_waits_what_is_marked_or_landed_is_not_counted_again() throws Exception {
        for (FakeAgent agent : List.of(a, b)) {
            agent.data(Map.of(USERS, 100 * MEGA, EVENTS, 0L), HOLDERS);
        }
        try (FakeAgent target = new FakeAgent(NEW)) {
            UUID hold = new UUID(7, 7);
            target.modes("JOINING");
            target.freeBytes(150 * MEGA);
            List<String> ranges = List.of("(0,100]", "(100,0]");
            target.hook(new Hook(
                    HookState.HOLDING,
                    hold.toString(),
                    "Replace",
                    1,
                    "",
                    Map.of("shop", Map.of(B, ranges), "logs", Map.of(B, ranges)),
                    Map.of("logs", ranges)));
            target.answer(
                    "/arrivals",
                    nothing -> new Arrivals(List.of(), List.of(landed(USERS, 60 * MEGA), landed(EVENTS, 100 * MEGA))));

            assertThat(run(10 * MEGA, Map.of(), a, b, target)).isTrue();
        }
        assertThat(screen)
                .contains(
                        "keyspace logs is marked already",
                        "in all 190.73 MiB, of which 57.22 MiB have landed before, about 14 s at 9.54 MiB/s (assumed;"
                                + " --rate assumes another), and the time of digests",
                        "room: 133.51 MiB needed at the new node, 143.05 MiB free there");
    }

    private static Landed landed(TableRef table, long bytes) {
        return new Landed(new UUID(9, 9), new UUID(1, 1), table, TokenRanges.FULL, bytes, Optional.empty());
    }

    @Test
    void a_new_node_without_room_is_refused_with_what_is_needed_and_free() throws Exception {
        try (FakeAgent target = new FakeAgent(NEW)) {
            target.modes("JOINING");
            target.freeBytes(150 * MEGA);
            target.hook(new Hook(
                    HookState.HOLDING,
                    new UUID(7, 7).toString(),
                    "Replace",
                    1,
                    "",
                    Map.of("shop", Map.of(B, List.of("(0,100]", "(100,0]"))),
                    Map.of()));

            assertThat(run(MEGA, Map.of(), a, b, target)).isFalse();
        }
        assertThat(screen)
                .contains(
                        "node " + NEW + " waits for its data",
                        "room: 190.73 MiB needed at the new node, 143.05 MiB free there",
                        "refused: node " + NEW
                                + " has room for 143.05 MiB (150000000 B) on 1 of 1 volumes, and 190.73 MiB"
                                + " (200000000 B) would be brought (expected: at least as much; add room, or bring less"
                                + " by --from one)");
    }

    @Test
    void an_agent_that_is_named_twice_is_one_node() throws Exception {
        assertThat(run(50 * MEGA, Map.of(), a, b, b)).isTrue();

        assertThat(screen)
                .containsOnlyOnce("plan: " + B + " sends 1 ranges of keyspace shop, 1 tables, 95.37 MiB")
                .contains("keyspace shop: 190.73 MiB from 2 nodes");
    }

    @Test
    void no_rebuild_of_a_node_that_joins() throws Exception {
        try (FakeAgent target = new FakeAgent(NEW)) {
            target.modes("JOINING");
            target.hook(new Hook(
                    HookState.HOLDING,
                    new UUID(7, 7).toString(),
                    "Bootstrap",
                    1,
                    "",
                    Map.of("shop", Map.of(B, List.of("(0,100]"))),
                    Map.of()));

            assertThat(run(Operation.REBUILD, Optional.empty(), MEGA, Map.of(), a, b, target))
                    .isFalse();
        }
        assertThat(screen)
                .contains("refused: node " + NEW + " is JOINING (expected: NORMAL; bootstrap or replace-node brings the"
                        + " data of one that joins)");
    }
}
