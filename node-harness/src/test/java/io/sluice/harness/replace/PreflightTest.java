package io.sluice.harness.replace;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.admin.VolumeStatus;
import io.sluice.harness.agent.AgentClient;
import io.sluice.harness.agent.AgentMessages.Hook;
import io.sluice.harness.agent.AgentMessages.Pins;
import io.sluice.harness.agent.AgentMessages.Rebuild;
import io.sluice.harness.agent.AgentMessages.Status;
import io.sluice.harness.agent.HookState;
import io.sluice.harness.agent.OperationMode;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Each reason against a replacement is said, with what to do. */
class PreflightTest {
    private static final String A = "10.0.0.1:7000";
    private static final String B = "10.0.0.2:7000";
    private static final String DEAD = "10.0.0.3:7000";
    private static final String NEW = "10.0.0.4:7000";

    private String release = "5.0.9";
    private String schema = "s1";
    private OperationMode mode = OperationMode.NORMAL;
    private List<VolumeStatus> volumes = List.of();
    private List<String> live = List.of(A, B);
    private List<String> unreachable = List.of(DEAD);
    private List<String> changing = List.of(NEW);
    private Optional<Hook> hook = Optional.empty();
    private Optional<String> replaces = Optional.empty();
    private Optional<Rebuild> rebuild = Optional.empty();
    private Optional<Pins> pins = Optional.empty();

    private Member joining() {
        mode = OperationMode.JOINING;
        Member joining = member(NEW);
        mode = OperationMode.NORMAL;
        return joining;
    }

    private Member member(String endpoint) {
        Address address = new Address("127.0.0.1", 7081);
        Status status = new Status(
                new Node(new UUID(0, endpoint.hashCode()), endpoint, Address.parse(endpoint), List.of()),
                endpoint,
                release,
                mode,
                schema,
                false,
                volumes,
                2_000,
                live,
                unreachable,
                changing,
                List.of(),
                hook,
                replaces,
                pins,
                "dc1",
                rebuild);
        return new Member(new AgentClient(address, new AdminToken("0".repeat(64))), status);
    }

    private static List<String> refusals(String dead, Member target, Member... sources) {
        return refusals(dead, Optional.of(target), sources);
    }

    private static List<String> refusals(String dead, Optional<Member> target, Member... sources) {
        return refusals(Operation.REPLACE, Optional.of(dead), target, sources);
    }

    private static List<String> refusals(
            Operation operation, Optional<String> dead, Optional<Member> target, Member... sources) {
        JoinOrder order = new JoinOrder(
                operation, dead, NEW, JoinOrder.From.ALL_REPLICAS, Duration.ofSeconds(1), Optional.empty());
        return new Preflight(order, List.of(sources), target).refusals();
    }

    @Test
    void nothing_speaks_against_a_dead_node_of_a_quiet_cluster() {
        assertThat(refusals("10.0.0.3", joining(), member(A), member(B))).isEmpty();
    }

    @Test
    void a_node_that_is_alive_is_not_replaced() {
        assertThat(refusals("10.0.0.2", joining(), member(A), member(B)))
                .allMatch(reason -> reason.startsWith("node 10.0.0.2 is alive, says "))
                .hasSize(2);
    }

    private Member waiting(String operation, Optional<String> inPlaceOf) {
        hook = Optional.of(new Hook(HookState.HOLDING, "h", operation, 0, "", Map.of(), Map.of()));
        replaces = inPlaceOf;
        Member waiting = joining();
        hook = Optional.empty();
        replaces = Optional.empty();
        return waiting;
    }

    @Test
    void a_node_that_replaces_the_dead_one_is_accepted() {
        assertThat(refusals("10.0.0.3", waiting("Bootstrap", Optional.of(DEAD)), member(A), member(B)))
                .isEmpty();
    }

    @Test
    void a_node_that_replaces_another_one_or_none_is_refused() {
        assertThat(refusals("10.0.0.3", waiting("Bootstrap", Optional.of("10.0.0.8:7000")), member(A), member(B)))
                .containsExactly("node " + NEW + " was started to replace 10.0.0.8:7000 (expected: 10.0.0.3, by"
                        + " -Dcassandra.replace_address_first_boot=10.0.0.3)");
        assertThat(refusals("10.0.0.3", waiting("Bootstrap", Optional.empty()), member(A), member(B)))
                .singleElement()
                .asString()
                .startsWith("node " + NEW + " was started to replace none (expected: 10.0.0.3");
    }

    @Test
    void a_node_that_joins_as_one_more_replaces_none() {
        assertThat(refusals(
                        Operation.BOOTSTRAP,
                        Optional.empty(),
                        Optional.of(waiting("Bootstrap", Optional.empty())),
                        member(A),
                        member(B)))
                .isEmpty();
        assertThat(refusals(
                        Operation.BOOTSTRAP,
                        Optional.empty(),
                        Optional.of(waiting("Replace", Optional.of(DEAD))),
                        member(A),
                        member(B)))
                .containsExactly(
                        "node " + NEW + " waits in operation Replace (expected: Bootstrap, as a node that joins)",
                        "node " + NEW + " was started to replace " + DEAD
                                + " (expected: none; replace-node --dead brings the data of one that does)");
    }

    @Test
    void a_node_that_rebuilds_is_refused() {
        assertThat(refusals("10.0.0.3", waiting("Rebuild", Optional.of(DEAD)), member(A), member(B)))
                .containsExactly(
                        "node " + NEW + " waits in operation Rebuild (expected: Bootstrap, as a node that takes"
                                + " the place of another)");
    }

    @Test
    void a_member_that_has_asked_nobody_for_data_is_refused() {
        assertThat(refusals("10.0.0.3", member(NEW), member(A), member(B)))
                .singleElement()
                .asString()
                .startsWith("node " + NEW + " is NORMAL and has no hook: it is a member of the ring");
        hook = Optional.of(new Hook(HookState.IDLE, "", "", 0, "", Map.of(), Map.of()));
        assertThat(refusals("10.0.0.3", member(NEW), member(A), member(B)))
                .anyMatch(reason -> reason.contains("has asked nobody for data")
                        && reason.contains("by sluice cassandra rebuild --node 10.0.0.4;"));
        assertThat(Preflight.hasJoined(joining())).isFalse();
        assertThat(Preflight.hasJoined(waiting("Bootstrap", Optional.of(DEAD)))).isFalse();
    }

    @Test
    void a_member_for_which_a_source_keeps_snapshots_is_refused_with_how_to_remove_them() {
        Member target = member(NEW);
        Member without = member(A);
        pins = Optional.of(new Pins(new UUID(7, 7), target.status().agent().id()));

        assertThat(Preflight.joined(target, List.of(without, member(B))))
                .contains("snapshots of an earlier operation for it are at " + B + " (")
                .contains("--abort REASON")
                .doesNotContain("snapshots of an earlier operation for it are at " + A);
        pins = Optional.of(new Pins(new UUID(7, 7), new UUID(9, 9)));
        assertThat(Preflight.joined(target, List.of(member(B)))).doesNotContain("--abort");
    }

    private static List<String> refusalsOfRebuild(Optional<String> datacenter, Member target, Member... sources) {
        return refusalsOfRebuild(datacenter, Optional.of(target), sources);
    }

    private static List<String> refusalsOfRebuild(
            Optional<String> datacenter, Optional<Member> target, Member... sources) {
        JoinOrder order = new JoinOrder(
                Operation.REBUILD,
                Optional.empty(),
                NEW,
                JoinOrder.From.ALL_REPLICAS,
                Duration.ofSeconds(1),
                Optional.empty(),
                datacenter);
        return new Preflight(order, List.of(sources), target).refusals();
    }

    @Test
    void a_node_whose_agent_is_silent_is_rebuilt_only_if_it_is_alive() {
        changing = List.of();
        Member a = member(A);
        live = List.of(A, B, NEW);
        Member b = member(B);

        assertThat(refusalsOfRebuild(Optional.empty(), Optional.empty(), b, member(A)))
                .isEmpty();
        assertThat(refusalsOfRebuild(Optional.empty(), Optional.empty(), a, b))
                .containsExactly("node " + NEW + " is not alive, says " + A + " (expected: a member that is)");
    }

    @Test
    void a_node_that_joins_beside_a_rebuild_is_not_said_to_have_no_agent() {
        live = List.of(A, B, NEW, "10.0.0.9:7000");
        changing = List.of("10.0.0.9:7000");

        assertThat(refusalsOfRebuild(Optional.empty(), member(NEW), member(A), member(B)))
                .containsExactly(
                        "node 10.0.0.9:7000 joins, leaves or moves (expected: one change of the ring at a time)");
    }

    @Test
    void a_member_may_be_rebuilt_whatever_its_hook_has_done() {
        live = List.of(A, B, NEW);
        changing = List.of();
        replaces = Optional.of(DEAD);
        for (HookState state : List.of(HookState.IDLE, HookState.LET_GO)) {
            hook = Optional.of(new Hook(state, "", "", 0, "", Map.of(), Map.of()));
            assertThat(refusalsOfRebuild(Optional.of("dc1"), member(NEW), member(A), member(B)))
                    .isEmpty();
        }
    }

    @Test
    void a_node_that_is_no_member_or_not_alive_or_fetches_by_itself_is_not_rebuilt() {
        Member joining = waiting("Bootstrap", Optional.empty());

        assertThat(refusalsOfRebuild(Optional.empty(), joining, member(A), member(B)))
                .containsExactly(
                        "node " + NEW + " is JOINING (expected: NORMAL; bootstrap or replace-node brings the data of"
                                + " one that joins)",
                        "node " + NEW + " waits in operation Bootstrap of its own (expected: none; let it go on by"
                                + " bootstrap --node with --abort, and run this again when that operation is over)",
                        "node " + NEW + " is not alive, says " + A + " (expected: a member that is)",
                        "node " + NEW + " is not alive, says " + B + " (expected: a member that is)");
    }

    @Test
    void a_datacenter_without_a_live_node_and_another_rebuild_are_refused() {
        live = List.of(A, B, NEW);
        changing = List.of();
        Member a = member(A);
        rebuild = Optional.of(new Rebuild(new UUID(8, 8), 1, Map.of()));
        Member b = member(B);

        assertThat(refusalsOfRebuild(Optional.of("dc7"), member(NEW), a, b))
                .containsExactly(
                        "the rebuild of node " + B + " has begun and is not over (expected: one operation at a time;"
                                + " run it again, or with --abort)",
                        "no live node of datacenter dc7 has an agent (expected: one of dc1)");
    }

    @Test
    void the_address_of_the_dead_node_is_refused() {
        assertThat(refusals("10.0.0.4", joining(), member(A), member(B)))
                .anyMatch(reason -> reason.startsWith("the replacement has the address of the dead node, 10.0.0.4"));
    }

    @Test
    void a_live_node_without_an_agent_is_named() {
        assertThat(refusals("10.0.0.3", joining(), member(A)))
                .containsExactly("node " + B
                        + " is alive and has no agent (expected: sluice agent beside it, and --agent for it)");
    }

    @Test
    void other_releases_and_two_of_them_are_refused() {
        Member a = member(A);
        release = "6.0-alpha2";

        assertThat(refusals("10.0.0.3", joining(), a, member(B)))
                .containsExactly(
                        "nodes of releases 5.0.9, 6.0-alpha2 (expected: one, an upgrade is finished)",
                        "Cassandra 6.0-alpha2 (expected: 4.0, 4.1 or 5.0)");
    }

    @Test
    void nodes_that_do_not_agree_on_the_schema_wait() {
        Member a = member(A);
        schema = "s2";

        assertThat(refusals("10.0.0.3", joining(), a, member(B)))
                .singleElement()
                .asString()
                .startsWith("the nodes do not agree on the schema: s1, s2");
    }

    @Test
    void another_change_of_the_ring_is_refused() {
        changing = List.of(NEW, "10.0.0.9:7000");

        assertThat(refusals("10.0.0.3", joining(), member(A), member(B)))
                .containsExactly(
                        "node 10.0.0.9:7000 joins, leaves or moves (expected: one change of the ring at a" + " time)");
    }

    @Test
    void before_there_is_a_new_node_all_is_checked_that_needs_none() {
        Optional<Member> none = Optional.empty();
        assertThat(refusals("10.0.0.3", none, member(A), member(B))).isEmpty();
        assertThat(refusals("10.0.0.4", none, member(A), member(B)))
                .anyMatch(reason -> reason.startsWith("the replacement has the address of the dead node, 10.0.0.4"));
        assertThat(refusals("10.0.0.2", none, member(A), member(B)))
                .allMatch(reason -> reason.startsWith("node 10.0.0.2 is alive, says "))
                .hasSize(2);
        assertThat(refusals("10.0.0.7", none, member(A), member(B)))
                .allMatch(reason -> reason.startsWith("node 10.0.0.7 is not known to "))
                .hasSize(2);
        assertThat(refusals("10.0.0.3", none, member(A)))
                .singleElement()
                .asString()
                .startsWith("node " + B + " is alive and has no agent");
        Member a = member(A);
        release = "4.1.10";
        schema = "s2";
        changing = List.of("10.0.0.9:7000");
        assertThat(refusals("10.0.0.3", none, a, member(B)))
                .containsExactly(
                        "nodes of releases 4.1.10, 5.0.9 (expected: one, an upgrade is finished)",
                        "the nodes do not agree on the schema: s1, s2 (expected: one version; wait, or see nodetool"
                                + " describecluster)",
                        "node 10.0.0.9:7000 joins, leaves or moves (expected: one change of the ring at a time)");
    }

    @Test
    void room_is_that_of_the_volumes_that_can_be_used() {
        volumes = List.of(
                new VolumeStatus("/a", 1_000, 0, 0, 0, Optional.empty()),
                new VolumeStatus("/b", 5_000, 0, 0, 0, Optional.of("it has failed")),
                new VolumeStatus("/c", 1_048, 0, 0, 0, Optional.empty()));

        assertThat(Room.refusal(member(NEW), 2_048)).isEmpty();
        assertThat(Room.refusal(member(NEW), 2_049))
                .contains("node " + NEW + " has room for 2.00 KiB (2048 B) on 2 of 3 volumes, and 2.00 KiB (2049 B)"
                        + " would be brought (expected: at least as much; add room, or bring less by --from one)");
    }

    @Test
    void a_refusal_for_room_says_what_is_left_to_the_database() {
        volumes = List.of(new VolumeStatus("/a", 0, 0, 256 << 20, 0, Optional.empty()));

        assertThat(Room.refusal(member(NEW), 1).orElseThrow())
                .contains("has room for 0 B on 1 of 1 volumes, beside 256.00 MiB that are left to the database"
                        + " (min_free_space_per_drive), and 1 B would be brought");
    }
}
