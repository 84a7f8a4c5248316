package io.sluice.streaming.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyChange.Bootstrap;
import io.sluice.streaming.plan.TopologyChange.BulkLoad;
import io.sluice.streaming.plan.TopologyChange.Decommission;
import io.sluice.streaming.plan.TopologyChange.Difference;
import io.sluice.streaming.plan.TopologyChange.MigrateTablet;
import io.sluice.streaming.plan.TopologyChange.Move;
import io.sluice.streaming.plan.TopologyChange.Rebuild;
import io.sluice.streaming.plan.TopologyChange.RemoveNode;
import io.sluice.streaming.plan.TopologyChange.Repair;
import io.sluice.streaming.plan.TopologyChange.Replace;
import io.sluice.streaming.plan.TopologyChange.SourceFilter;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.plan.TopologyPlan.Transfer;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Membership;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Replication;
import io.sluice.streaming.ring.Replication.Tablet;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Long because each kind of change has its plans here, on the same few nodes. */
class PlannerTest {
    private static final TableRef USERS = new TableRef(new UUID(0, 1), "ks", "users");
    private static final TableRef OTHERS = new TableRef(new UUID(0, 2), "ks2", "others");
    private static final UUID PLAN = new UUID(9, 9);
    private static final PlannerOptions CUTTING = PlannerOptions.DEFAULTS.cuttingSSTables();

    private final Node a = node(1, -1000);
    private final Node b = node(2, 0);
    private final Node c = node(3, 1000);
    private final Node d = node(4, 5000);
    private final Ring three = new Ring(List.of(a, b, c), 3);

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 200);
    }

    private static Node node(long id, long... tokens) {
        return new Node(
                new UUID(0, id),
                "n" + id,
                new Address("127.0.0." + id, 7000),
                LongStream.of(tokens).mapToObj(Token::new).toList());
    }

    private static SSTableSpan span(long first, long last, long bytes) {
        return new SSTableSpan(new Token(first), new Token(last), bytes);
    }

    private static TopologyPlan plan(TopologyChange change, Ring ring) {
        return Planner.plan(change, Map.of(USERS, ring), DataSizes.even(1L << 40), CUTTING);
    }

    private static TokenRange range(Transfer transfer) {
        long end = transfer.last().value();
        return TokenRange.of(transfer.first().value() - 1, end == Long.MAX_VALUE ? Long.MIN_VALUE : end);
    }

    /** What a node gets; fails if it gets anything twice. */
    private static TokenRanges received(TopologyPlan plan, Node destination, TableRef table) {
        TokenRanges received = TokenRanges.NONE;
        for (Transfer transfer : plan.transfers()) {
            if (transfer.destination().equals(destination) && transfer.table().equals(table)) {
                TokenRanges part = TokenRanges.of(range(transfer));
                assertThat(received.intersection(part)).as("sent twice").isEqualTo(TokenRanges.NONE);
                received = received.union(part);
            }
        }
        return received;
    }

    private static Map<Node, Long> bytesBySource(TopologyPlan plan) {
        return plan.transfers().stream()
                .collect(Collectors.groupingBy(Transfer::source, Collectors.summingLong(Transfer::bytes)));
    }

    /** A ring of 3 to 8 nodes with 1 to 4 tokens each, in two data centres. */
    private static Ring randomRing(Random random) {
        List<Node> nodes = new ArrayList<>();
        int count = 3 + random.nextInt(6);
        for (int i = 1; i <= count; i++) {
            long[] tokens = random.longs(1 + random.nextInt(4)).toArray();
            nodes.add(node(i, tokens).in("dc" + (1 + i % 2), "r" + random.nextInt(2)));
        }
        return new Ring(
                nodes,
                random.nextBoolean()
                        ? new Replication.Simple(1 + random.nextInt(3))
                        : new Replication.NetworkTopology(Map.of("dc1", 2, "dc2", 1)));
    }

    private static void assertGains(TopologyPlan plan, Ring before, Ring after) {
        for (Node node : after.nodes()) {
            TokenRanges gained = before.nodes().contains(node)
                    ? after.rangesOf(node).minus(before.rangesOf(node))
                    : after.rangesOf(node);
            assertThat(received(plan, node, USERS)).as("%s", node).isEqualTo(gained);
        }
        for (Transfer transfer : plan.transfers()) {
            assertThat(before.rangesOf(transfer.source()).intersection(TokenRanges.of(range(transfer))))
                    .isEqualTo(TokenRanges.of(range(transfer)));
            assertThat(transfer.alternates()).doesNotContain(transfer.source());
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void a_newcomer_gets_what_it_will_hold(long seed) {
        Random random = new Random(seed);
        Ring ring = randomRing(random);
        Node joining = node(100, random.longs(1 + random.nextInt(4)).toArray()).in("dc1", "r1");

        TopologyPlan plan = plan(new Bootstrap(joining, false), ring);
        TopologyPlan strict = plan(new Bootstrap(joining, true), ring);

        Ring after = ring.with(joining);
        assertGains(plan, ring, after);
        assertGains(strict, ring, after);
        for (Transfer transfer : strict.transfers()) {
            boolean someoneLoses = ring.replicas(transfer.last()).stream()
                    .anyMatch(node -> !after.replicas(transfer.last()).contains(node));
            if (someoneLoses) {
                assertThat(after.replicas(transfer.last())).doesNotContain(transfer.source());
                assertThat(transfer.reason()).isEqualTo(TopologyPlan.Reason.ONLY_ONE);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void those_who_stay_get_what_a_leaver_held(long seed) {
        Random random = new Random(seed);
        Ring ring = randomRing(random);
        Node leaver = ring.nodes().get(random.nextInt(ring.nodes().size()));
        Ring after = ring.without(leaver);

        TopologyPlan leaving = plan(new Decommission(leaver), ring);

        assertGains(leaving, ring, after);
        assertThat(leaving.transfers()).allMatch(transfer -> transfer.source().equals(leaver));
        if (ring.replicationFactor() > 1
                && ring.ranges().stream().allMatch(range -> ring.replicas(range).size() > 1)) {
            TopologyPlan removed = plan(new RemoveNode(leaver), ring.with(leaver.down()));
            assertGains(removed, ring, after);
            assertThat(removed.transfers())
                    .noneMatch(transfer -> transfer.source().equals(leaver));
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void a_mover_and_its_neighbours_get_what_they_gain(long seed) {
        Random random = new Random(seed);
        Ring ring = randomRing(random);
        Node mover = ring.nodes().get(random.nextInt(ring.nodes().size()));
        List<Token> tokens =
                random.longs(mover.tokens().size()).mapToObj(Token::new).toList();

        TopologyPlan plan = plan(new Move(mover, tokens), ring);

        assertGains(plan, ring, ring.with(mover.withTokens(tokens)));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void a_replacement_gets_what_the_dead_node_held(long seed) {
        Random random = new Random(seed);
        Ring ring = randomRing(random).with(new Replication.Simple(2));
        Node dead = ring.nodes().get(random.nextInt(ring.nodes().size()));
        Node sameAddress = new Node(new UUID(0, 77), "new", dead.address(), List.of())
                .in(dead.location().dc(), dead.location().rack());

        TopologyPlan plan = plan(new Replace(dead, sameAddress), ring.with(dead.down()));

        assertThat(received(plan, sameAddress, USERS)).isEqualTo(ring.rangesOf(dead));
        assertThat(plan.transfers())
                .noneMatch(transfer ->
                        transfer.source().equals(dead) || transfer.alternates().contains(dead));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void ends_within_five_percent_of_the_bound_and_the_same_again(long seed) {
        Random random = new Random(seed);
        Ring ring = randomRing(random);
        Node joining = node(100, random.longs(3).toArray()).in("dc1", "r1");
        Map<TableRef, Ring> rings = Map.of(USERS, ring, OTHERS, ring.with(new Replication.Simple(2)));
        PlannerOptions options = CUTTING.withRate(ring.nodes().get(0).id(), 1 << 20);

        TopologyPlan plan = Planner.plan(new Bootstrap(joining, false), rings, DataSizes.even(1L << 40), options);
        TopologyPlan again = Planner.plan(new Bootstrap(joining, false), rings, DataSizes.even(1L << 40), options);

        assertThat(plan.gap()).isLessThan(0.05);
        assertThat(again.transfers()).isEqualTo(plan.transfers());
        double slowest = bytesBySource(plan).entrySet().stream()
                .mapToDouble(sent -> plan.finishSeconds(sent.getKey(), sent.getValue()))
                .max()
                .orElse(0);
        assertThat(plan.finishSeconds()).isCloseTo(slowest, within(1e-9));
    }

    @Test
    void splits_the_bytes_evenly_between_the_survivors() {
        List<SSTableSpan> spans =
                List.of(span(-900, -800, 10), span(-700, -1, 10), span(100, 200, 10), span(300, 900, 10));
        DataSizes sizes = new SpansBySource(Map.of(USERS, Map.of(a, spans, b, spans)));

        TopologyPlan plan = Planner.plan(new Replace(c, d), Map.of(USERS, three), sizes, PlannerOptions.DEFAULTS);

        assertThat(bytesBySource(plan)).containsOnly(Map.entry(a, 20L), Map.entry(b, 20L));
        assertThat(received(plan, d, USERS)).isEqualTo(TokenRanges.FULL);
    }

    @Test
    void a_source_that_claims_more_bytes_than_a_long_can_count_is_the_last_choice() {
        List<SSTableSpan> spans = List.of(span(-900, -1, 10), span(100, 900, 10));
        SSTableSpan endless = span(-900, 900, Long.MAX_VALUE);
        SpansBySource sizes = new SpansBySource(Map.of(USERS, Map.of(a, List.of(endless, endless, endless), b, spans)));

        TopologyPlan plan = Planner.plan(new Replace(c, d), Map.of(USERS, three), sizes, CUTTING);

        assertThat(sizes.bytes(USERS, a, Long.MIN_VALUE, Long.MAX_VALUE)).isEqualTo(SpansBySource.MOST_BYTES);
        assertThat(plan.totalBytes()).isEqualTo(20);
        assertThat(received(plan, d, USERS)).isEqualTo(TokenRanges.FULL);
    }

    @Test
    void never_cuts_an_sstable_that_lies_across_ranges() {
        List<SSTableSpan> spans = List.of(span(-5000, 5000, 10));
        DataSizes sizes = new SpansBySource(Map.of(USERS, Map.of(a, spans, b, spans)));

        StreamPlan plan = Planner.plan(new Replace(c, d), Map.of(USERS, three), sizes, PlannerOptions.DEFAULTS)
                .streamPlan(PLAN, d);

        assertThat(plan.requests().stream()
                        .filter(request -> request.ranges().intersects(new Token(-5000), new Token(5000))))
                .hasSize(1);
    }

    @Test
    void cuts_a_range_where_that_lowers_the_finish() {
        List<SSTableSpan> spans = List.of(span(-900, -500, 900), span(-499, -1, 100));
        DataSizes sizes = new SpansBySource(Map.of(USERS, Map.of(a, spans, b, spans)));

        TopologyPlan plan = Planner.plan(new Replace(c, d), Map.of(USERS, three), sizes, CUTTING.withRate(100));

        assertThat(plan.finishSeconds()).isCloseTo(5, within(0.3));
        assertThat(received(plan, d, USERS)).isEqualTo(TokenRanges.FULL);
    }

    @Test
    void names_the_range_that_has_no_live_source_and_how_many_there_were() {
        Ring single = new Ring(List.of(a, b, c), 1);
        Ring down = three.with(a.down()).with(b.down());

        assertThatThrownBy(() -> plan(new Replace(c, d), single))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SOURCE))
                .hasMessageContaining("ks.users (0,1000]");
        assertThatThrownBy(() -> plan(new Replace(c, d), down))
                .hasMessageContaining("none of the 2 nodes that may send it is up (n1, n2)");
        assertThatThrownBy(() -> plan(new Bootstrap(d, true), new Ring(List.of(a.down(), b, c), 1)))
                .hasMessageContaining("none of the 1 nodes that may send it is up (n1)");
    }

    @Test
    void rebuilds_a_data_centre_from_another() {
        List<Node> nodes = Stream.of(a, b, c, d)
                .map(node -> node.in(node.equals(a) || node.equals(b) ? "old" : "new", "r1"))
                .toList();
        Ring ring = new Ring(nodes, new Replication.NetworkTopology(Map.of("old", 2, "new", 2)));
        List<Node> targets = nodes.subList(2, 4);

        TopologyPlan plan = plan(new Rebuild(targets, TokenRanges.FULL, SourceFilter.inDc("old")), ring);
        TokenRanges some = TokenRanges.of(TokenRange.of(-500, 200));
        TopologyPlan part = plan(
                new Rebuild(
                        targets,
                        some,
                        new SourceFilter(Set.of(), Set.of(), Set.of(nodes.get(0).id()))),
                ring);

        for (Node target : targets) {
            assertThat(received(plan, target, USERS)).isEqualTo(TokenRanges.FULL);
            assertThat(received(part, target, USERS)).isEqualTo(some);
        }
        assertThat(plan.bytesBetweenDcs()).isEqualTo(plan.totalBytes());
        assertThat(bytesBySource(plan).values()).hasSize(2).allMatch(bytes -> bytes > plan.totalBytes() * 0.45);
        assertThat(bytesBySource(part)).containsOnlyKeys(nodes.get(1));
    }

    @Test
    void prefers_the_near_where_it_costs_no_time() {
        List<Node> nodes = List.of(a.in("dc1", "r1"), b.in("dc2", "r1"), c.in("dc1", "r2"));
        Ring ring = new Ring(nodes, new Replication.Simple(3));
        DataSizes sizes =
                new SpansBySource(Map.of(USERS, Map.of(a, List.of(span(1, 9, 10)), b, List.of(span(1, 9, 10)))));

        TopologyPlan plan =
                Planner.plan(new Replace(c, d.in("dc1", "r2")), Map.of(USERS, ring), sizes, PlannerOptions.DEFAULTS);

        assertThat(plan.bytesBetweenDcs()).isZero();
        assertThat(plan.transfers()).anyMatch(transfer -> transfer.reason() == TopologyPlan.Reason.NEAREST);
    }

    @Test
    void repair_streams_both_ways_or_only_one() {
        TokenRanges differing = TokenRanges.of(TokenRange.of(5, 50));
        List<Difference> differences = List.of(new Difference(a, b, USERS, differing));

        TopologyPlan both = plan(new Repair(differences, false), three);
        TopologyPlan pull = plan(new Repair(differences, true), three);

        assertThat(received(both, a, USERS)).isEqualTo(differing);
        assertThat(received(both, b, USERS)).isEqualTo(differing);
        assertThat(received(pull, a, USERS)).isEqualTo(differing);
        assertThat(received(pull, b, USERS)).isEqualTo(TokenRanges.NONE);
        assertThatThrownBy(() -> plan(new Repair(List.of(new Difference(a, b.down(), USERS, differing)), true), three))
                .hasMessageContaining("n2 is down");
    }

    @Test
    void a_table_is_found_among_the_rings_by_its_id_after_it_was_renamed() {
        TableRef renamed = new TableRef(USERS.id(), "ks", "customers");
        TokenRanges differing = TokenRanges.of(TokenRange.of(5, 50));

        TopologyPlan plan = Planner.plan(
                new Repair(List.of(new Difference(a, b, USERS, differing)), true),
                Map.of(renamed, three),
                DataSizes.even(1L << 40),
                CUTTING);

        assertThat(received(plan, a, USERS)).isEqualTo(differing);
    }

    @Test
    void a_change_that_the_rings_cannot_carry_out_is_refused() {
        TokenRanges some = TokenRanges.of(TokenRange.of(5, 50));
        Ring tablets = three.with(new Replication.Tablets(List.of(
                new Tablet(new Token(0), List.of(a.id(), b.id())),
                new Tablet(new Token(Long.MAX_VALUE), List.of(b.id(), c.id())))));

        assertRefused(
                new Repair(List.of(new Difference(a, b, OTHERS, some)), true), Map.of(USERS, three), "ks2.others");
        assertRefused(new MigrateTablet(OTHERS, new Token(0), a.id(), c.id()), Map.of(USERS, tablets), "ks2.others");
        assertRefused(
                new Repair(List.of(new Difference(a, a, USERS, some)), true), Map.of(USERS, three), "with itself");
        assertRefused(new Repair(List.of(new Difference(a, b, USERS, some)), true), Map.of(), "ks.users");
        assertRefused(new MigrateTablet(USERS, new Token(0), a.id(), c.id()), Map.of(), "ks.users");
        assertRefused(new Replace(b, b), Map.of(USERS, three), "n2 cannot replace itself");
    }

    @Test
    void a_cluster_without_tables_changes_without_a_transfer() {
        List<TopologyChange> changes = List.of(
                new Bootstrap(d, true),
                new Replace(b, d),
                new Rebuild(List.of(a), TokenRanges.FULL, SourceFilter.inDc("old")),
                new Decommission(a),
                new RemoveNode(b),
                new Move(a, List.of(new Token(5))),
                new Repair(List.of(), false),
                new BulkLoad(d));

        for (TopologyChange change : changes) {
            TopologyPlan plan = Planner.plan(change, Map.of(), DataSizes.even(1L << 40), CUTTING);

            assertThat(plan.transfers()).as("%s", change).isEmpty();
            assertThat(plan.explanation()).as("%s", change).isNotEmpty();
        }
    }

    private static void assertRefused(TopologyChange change, Map<TableRef, Ring> rings, String why) {
        assertThatThrownBy(() -> Planner.plan(change, rings, DataSizes.even(1L << 40), CUTTING))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @Test
    void a_tablet_comes_from_the_node_that_gives_it_up() {
        Replication tablets = new Replication.Tablets(List.of(
                new Tablet(new Token(0), List.of(a.id(), b.id())),
                new Tablet(new Token(Long.MAX_VALUE), List.of(b.id(), c.id()))));
        Ring ring = three.with(tablets);

        TopologyPlan plan = plan(new MigrateTablet(USERS, new Token(0), a.id(), c.id()), ring);

        assertThat(received(plan, c, USERS)).isEqualTo(TokenRanges.of(TokenRange.of(Long.MIN_VALUE, 0)));
        assertThat(bytesBySource(plan)).containsOnlyKeys(a);
        assertThatThrownBy(() -> plan(new MigrateTablet(USERS, new Token(7), a.id(), c.id()), ring))
                .hasMessageContaining("no tablet ends at token 7");
    }

    @Test
    void a_bulk_load_goes_to_all_replicas_and_to_those_about_to_be() {
        Node loader = node(50);
        Node joining = d.as(new Membership.Joining());
        Ring ring = new Ring(List.of(a, b, c, joining), 2);

        TopologyPlan plan = plan(new BulkLoad(loader), ring);

        for (Node node : List.of(a, b, c)) {
            assertThat(received(plan, node, USERS)).isEqualTo(ring.rangesOf(node));
        }
        assertThat(received(plan, joining, USERS)).isEqualTo(ring.pendingRangesOf(joining));
    }

    /** The ranges of what is left of the ring are unions of those of now. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void a_bulk_load_goes_to_those_that_take_over_from_a_node_that_leaves_or_moves(int replication) {
        for (Membership change : List.of(new Membership.Leaving(), new Membership.Moving(List.of(new Token(300))))) {
            Ring ring = new Ring(List.of(a, b.as(change), c, d), replication);

            TopologyPlan plan = plan(new BulkLoad(node(50)), ring);

            for (Node node : ring.nodes()) {
                assertThat(received(plan, node, USERS))
                        .as("%s, %s", node, change)
                        .isEqualTo(ring.rangesOf(node).union(ring.pendingRangesOf(node)));
            }
        }
    }

    @Test
    void a_node_that_holds_ranges_does_not_join_again() {
        assertThatThrownBy(() -> plan(new Bootstrap(b, false), three))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("n2 holds ranges of the ring already");
    }

    @Test
    void a_tablet_is_not_taken_from_a_node_that_has_no_replica_of_it() {
        Ring ring = three.with(new Replication.Tablets(List.of(
                new Tablet(new Token(0), List.of(a.id(), b.id())),
                new Tablet(new Token(Long.MAX_VALUE), List.of(b.id(), c.id())))));

        assertThatThrownBy(() -> plan(new MigrateTablet(USERS, new Token(0), c.id(), a.id()), ring))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no replica at " + c.id());
    }

    /** No key has a token between the greatest and the least. */
    @Test
    void a_node_with_the_least_token_beside_the_greatest_gets_what_it_will_hold() {
        Ring ring = new Ring(List.of(node(1, Long.MAX_VALUE), b), 1);
        Node joining = node(3, Long.MIN_VALUE);

        TopologyPlan plan = plan(new Bootstrap(joining, false), ring);

        assertThat(received(plan, joining, USERS)).isEqualTo(TokenRanges.NONE);
        assertThat(ring.with(joining).rangesOf(joining)).isEqualTo(TokenRanges.NONE);
        assertThat(ring.with(joining).primaryRangesOf(joining)).isEqualTo(TokenRanges.NONE);
    }

    @Test
    void the_plan_of_a_node_asks_each_source_once_per_table() {
        Map<TableRef, Ring> rings = new HashMap<>();
        Function<Long, TableRef> table = i -> new TableRef(new UUID(0, i), "ks", "t" + i);
        LongStream.range(0, 5).boxed().map(table).forEach(ref -> rings.put(ref, three));

        TopologyPlan plan = Planner.plan(new Replace(c, d), rings, DataSizes.even(1000), CUTTING);
        StreamPlan ofNode = plan.streamPlan(PLAN, d);

        assertThat(ofNode.operation()).isEqualTo(Operation.REPLACE);
        assertThat(plan.destinations()).containsExactly(d);
        Map<TableRef, TokenRanges> asked = new HashMap<>();
        for (StreamRequest request : ofNode.requests()) {
            asked.merge(request.table(), request.ranges(), TokenRanges::union);
        }
        assertThat(asked.values()).hasSize(5).allMatch(TokenRanges.FULL::equals);
    }

    private static TopologyPlan plan(TopologyChange change, Map<TableRef, Ring> rings, PlanScope scope) {
        return Planner.plan(change, rings, DataSizes.even(1L << 40), CUTTING, scope);
    }

    @Test
    void a_plan_for_one_node_does_not_depend_on_what_others_cannot_have() {
        TokenRanges some = TokenRanges.of(TokenRange.of(0, 10));
        Repair repair =
                new Repair(List.of(new Difference(a, b, USERS, some), new Difference(b, c.down(), USERS, some)), false);
        assertThatThrownBy(() -> plan(repair, three)).hasMessageContaining("n3 is down");

        TopologyPlan ours = plan(repair, Map.of(USERS, three), new PlanScope(PLAN, Optional.of(a), List.of()));

        assertThat(ours.destinations()).containsExactly(a);
        assertThat(received(ours, a, USERS)).isEqualTo(some);
        Ring two = new Ring(List.of(a, b, c.down(), d), 2); // of some ranges that d gains only c is a replica
        assertThatThrownBy(() -> plan(new TopologyChange.RemoveNode(b), two)).hasMessageContaining("n3");
        TopologyPlan forA = plan(
                new TopologyChange.RemoveNode(b), Map.of(USERS, two), new PlanScope(PLAN, Optional.of(a), List.of()));
        assertThat(forA.destinations()).doesNotContain(d);
    }

    @Test
    void a_source_that_is_out_for_one_table_still_sends_another() {
        Map<TableRef, Ring> rings = Map.of(USERS, three, OTHERS, three);
        TopologyPlan.Unavailable left =
                new TopologyPlan.Unavailable(a, Optional.of(USERS), ErrorCode.UNKNOWN_TABLE, "not here");

        TopologyPlan plan = plan(new Replace(c, d), rings, new PlanScope(PLAN, Optional.of(d), List.of(left)));

        assertThat(plan.id()).isEqualTo(PLAN);
        assertThat(plan.unavailable()).containsExactly(left);
        for (Transfer transfer : plan.transfers()) {
            boolean hasA = transfer.source().equals(a) || transfer.alternates().contains(a);
            assertThat(hasA).as("%s", transfer).isEqualTo(transfer.table().equals(OTHERS));
        }
        assertThat(received(plan, d, USERS)).isEqualTo(received(plan, d, OTHERS));
    }

    @Test
    void explains_itself_to_an_operator() {
        TopologyPlan.Unavailable left =
                new TopologyPlan.Unavailable(a, Optional.empty(), ErrorCode.TIMEOUT, "no answer");

        assertThat(plan(new Replace(c, d), Map.of(USERS, three), new PlanScope(PLAN, Optional.of(d), List.of(left)))
                        .explanation()
                        .lines())
                .satisfiesExactly(
                        whole -> assertThat(whole).startsWith("replace: 1048576.0 MiB from 1 nodes to 1, in about "),
                        from -> assertThat(from)
                                .startsWith("  n2 sends 1048576.0 MiB in ")
                                .endsWith(" of 1 tables to n4: only possible source"),
                        out -> assertThat(out).isEqualTo("  left out: n1: TIMEOUT: no answer"));
    }
}
