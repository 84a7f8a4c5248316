package io.sluice.harness.replace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.harness.agent.AgentMessages.Imported;
import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.harness.agent.AgentMessages.Rebuild;
import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.harness.json.Json;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.store.TableRef;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a coordinator does with a member that lacks data which it owns. */
class RebuildTest {
    private static final String NEAR = "10.0.0.1:7000";
    private static final String FAR = "10.0.0.2:7000";
    private static final String MEMBER = "10.0.0.4:7000";
    private static final UUID OPERATION = new UUID(8, 8);
    private static final String RANGE = "(0,50]";
    private static final TableRef USERS = new TableRef(new UUID(3, 3), "shop", "users");
    private static final Replicas RING =
            new Replicas(Map.of(RANGE, List.of(MEMBER, NEAR, FAR), "(50,0]", List.of(NEAR, FAR)), Map.of());

    private final List<String> screen = new CopyOnWriteArrayList<>();
    private final JoinProgress progress = new JoinProgress(screen::add);
    private final Map<String, FakeAgent> agents = new TreeMap<>();

    @BeforeEach
    void start() throws IOException {
        for (String endpoint : List.of(NEAR, FAR, MEMBER)) {
            FakeAgent agent = new FakeAgent(endpoint);
            agent.ring(new FakeAgent.Ring("s1", List.of(NEAR, FAR, MEMBER), List.of(), List.of()));
            agent.data(Map.of(USERS, 300L), RING);
            agent.answer("/pin", RebuildTest::pinned);
            agent.answer("/pinned-digests", order -> TransfersTest.digests(order, 3, 300));
            agent.answer("/pinned-stored", order -> TransfersTest.stored(order, 3, 300));
            agents.put(endpoint, agent);
        }
        agent(NEAR).datacenter("near");
        agent(MEMBER).datacenter("near");
        agent(FAR).datacenter("far");
        agent(MEMBER).answer("/rebuild", nothing -> begun(Map.of()));
        agent(MEMBER).answer("/fetch/", nothing -> TransfersTest.progress(TransfersTest.complete()));
        agent(MEMBER).answer("/landed-stored", order -> TransfersTest.stored(order, 2, 200));
        agent(MEMBER)
                .answer(
                        "/import",
                        order -> new Imported(
                                2 * order.get("proofs").size(),
                                200L * order.get("proofs").size()));
    }

    @AfterEach
    void stop() throws IOException {
        for (FakeAgent agent : agents.values()) {
            agent.close();
        }
    }

    private FakeAgent agent(String endpoint) {
        return java.util.Objects.requireNonNull(agents.get(endpoint));
    }

    /** The rebuild that the agent of the member begins, or goes on with. */
    private Rebuild begun(Map<String, List<String>> marked) {
        Rebuild rebuild = new Rebuild(OPERATION, 5_000, marked);
        agent(MEMBER).rebuild(rebuild);
        return rebuild;
    }

    private static List<Pinned> pinned(JsonNode order) {
        List<Pinned> pinned = new ArrayList<>();
        for (JsonNode table : order.get("tables")) {
            pinned.add(new Pinned(Json.MAPPER.convertValue(table, TableRef.class), 3, 300, List.of("nb"), false));
        }
        return pinned;
    }

    private Join rebuild(Optional<String> datacenter) {
        return rebuild(datacenter, Map.of());
    }

    private Join rebuild(Optional<String> datacenter, Map<String, String> leftBySchema) {
        JoinOrder order = new JoinOrder(
                Operation.REBUILD,
                Optional.empty(),
                "10.0.0.4",
                JoinOrder.From.ALL_REPLICAS,
                Duration.ofSeconds(1),
                Optional.empty(),
                datacenter);
        List<FakeAgent> all = List.copyOf(agents.values());
        return new Join(
                order,
                new Members(all.stream().map(FakeAgent::client).toList()),
                () -> new TablesNow(leftBySchema, Map.of()),
                progress);
    }

    private List<String> orders(String endpoint) {
        return agent(endpoint).orders().stream()
                .map(order -> order.replaceAll(" .*", ""))
                .toList();
    }

    private static String text(JoinReport report) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        report.print(new PrintStream(out, true, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void a_member_is_brought_what_it_owns_from_all_other_replicas_without_a_hook() throws Exception {
        JoinReport report = rebuild(Optional.empty()).run();

        assertThat(orders(MEMBER))
                .containsExactly(
                        "/rebuild", "/discard", "/fetch", "/fetch", "/import", "/mark", "/discard", "/end-rebuild");
        assertThat(agent(MEMBER).orders())
                .anyMatch(order -> order.startsWith("/mark ")
                        && order.contains("\"holdId\":\"" + OPERATION + "\"")
                        && order.contains("[\"" + RANGE + "\"]"))
                .filteredOn(order -> order.startsWith("/fetch "))
                .allMatch(order -> order.contains("\"kind\":\"REBUILD\""));
        for (String source : List.of(NEAR, FAR)) {
            assertThat(orders(source)).containsExactly("/pin", "/unpin", "/end");
        }
        assertThat(screen)
                .contains("plan: " + NEAR + " sends 1 ranges of keyspace shop", "keyspace shop: 1 ranges complete")
                .noneMatch(line -> line.contains("marked"))
                .contains("all 2 nodes send writes to " + MEMBER + ", too; waiting 1 ms for writes that began before");
        assertThat(report.isVerified()).isTrue();
        assertThat(report.streamedBytes()).isEmpty();
        assertThat(report.held()).isEqualTo(Duration.ofSeconds(5));
        assertThat(text(report)).contains("VERIFIED: 400 B").doesNotContain("Cassandra");
    }

    @Test
    void only_nodes_of_the_datacenter_send_if_one_is_named() throws Exception {
        JoinReport report = rebuild(Optional.of("far")).run();

        assertThat(report.transfers()).extracting(JoinReport.Transfer::source).containsExactly(FAR);
        assertThat(agent(NEAR).orders()).noneMatch(order -> order.contains("users"));
    }

    @Test
    void a_keyspace_whose_other_replicas_are_not_in_the_datacenter_is_not_brought_and_said() throws Exception {
        Replicas nearOnly = new Replicas(Map.of(RANGE, List.of(MEMBER, NEAR)), Map.of());
        agents.values().forEach(agent -> agent.data(Map.of(USERS, 300L), nearOnly));

        JoinReport report = rebuild(Optional.of("far")).run();

        String reason = "1 of its ranges have no live replica in datacenter far, as " + RANGE;
        assertThat(report.leftToCassandra()).isEqualTo(Map.of("shop", reason));
        assertThat(report.isVerified()).isFalse();
        assertThat(screen).contains("keyspace shop is not brought: " + reason);
        assertThat(text(report))
                .contains("not brought: keyspace shop, since " + reason + " (nodetool rebuild -ks shop at the node");
    }

    @Test
    void a_keyspace_of_which_the_node_is_the_only_replica_is_named_and_nothing_is_called_verified() throws Exception {
        Replicas alone = new Replicas(Map.of(RANGE, List.of(MEMBER, NEAR), "(50,60]", List.of(MEMBER)), Map.of());
        agents.values().forEach(agent -> agent.data(Map.of(USERS, 300L), alone));

        JoinReport report = rebuild(Optional.empty()).run();

        String reason =
                "1 of its ranges have no other replica, as (50,60]: whether the node has their data nobody" + " knows";
        assertThat(report.missing()).isEqualTo(Map.of("shop", reason));
        assertThat(report.leftToCassandra()).isEmpty();
        assertThat(report.transfers()).as("the ranges that others have").hasSize(1);
        assertThat(report.isVerified()).isFalse();
        assertThat(report.isWhole()).as("else it would end with 0").isFalse();
        assertThat(screen).contains("missing: keyspace shop, " + reason);
        assertThat(text(report)).contains("missing: keyspace shop, " + reason).doesNotContain("VERIFIED");
    }

    @Test
    void a_look_names_a_keyspace_of_which_the_node_is_the_only_replica() throws Exception {
        Replicas alone = new Replicas(Map.of("(50,60]", List.of(MEMBER), "(60,50]", List.of(NEAR)), Map.of());
        agents.values().forEach(agent -> agent.data(Map.of(USERS, 300L), alone));

        assertThat(rebuild(Optional.empty()).dryRun(1_000)).isTrue();

        assertThat(screen)
                .contains("missing: keyspace shop, 1 of its ranges have no other replica, as (50,60]: whether the node"
                        + " has their data nobody knows");
    }

    @Test
    void what_an_earlier_run_has_completed_is_not_brought_again() throws Exception {
        agent(MEMBER).answer("/rebuild", nothing -> begun(Map.of("shop", List.of(RANGE))));

        rebuild(Optional.empty()).run();

        assertThat(orders(MEMBER)).containsExactly("/rebuild", "/discard", "/discard", "/end-rebuild");
        assertThat(screen).contains("keyspace shop is complete already");
    }

    @Test
    void what_an_earlier_run_has_completed_is_brought_where_its_source_has_died_since() throws Exception {
        agent(MEMBER).answer("/rebuild", nothing -> begun(Map.of("shop", List.of(RANGE, "(50,60]"))));
        farDiesThatAloneHad("(50,60]");

        JoinReport report = rebuild(Optional.empty()).run();

        assertThat(report.leftToCassandra()).isEmpty();
        assertThat(report.isWhole()).as("else it would end with 4").isTrue();
        assertThat(screen).contains("keyspace shop is complete already");
    }

    @Test
    void a_look_says_what_is_complete_of_a_source_that_has_died_since() throws Exception {
        begun(Map.of("shop", List.of(RANGE, "(50,60]")));
        farDiesThatAloneHad("(50,60]");

        assertThat(rebuild(Optional.empty()).dryRun(1_000)).isTrue();

        assertThat(screen)
                .contains("keyspace shop is complete already")
                .noneMatch(line -> line.contains("is not brought"));
    }

    private void farDiesThatAloneHad(String range) {
        Replicas ring = new Replicas(Map.of(RANGE, List.of(MEMBER, NEAR), range, List.of(MEMBER, FAR)), Map.of());
        for (String endpoint : List.of(NEAR, MEMBER)) {
            agent(endpoint).ring(new FakeAgent.Ring("s1", List.of(NEAR, MEMBER), List.of(FAR), List.of()));
            agent(endpoint).data(Map.of(USERS, 300L), ring);
        }
        agent(FAR).starting(Integer.MAX_VALUE);
    }

    @Test
    void a_node_of_which_another_does_not_know_that_it_holds_the_ranges_is_brought_nothing() {
        agent(FAR).data(Map.of(USERS, 300L), new Replicas(Map.of(RANGE, List.of(NEAR, FAR)), Map.of()));

        assertThatThrownBy(() -> rebuild(Optional.empty()).run())
                .isInstanceOf(IOException.class)
                .hasMessageContaining(
                        "node " + FAR + " does not know that " + MEMBER + " holds ranges of keyspace shop");
        assertThat(orders(NEAR)).isEmpty();
        assertThat(orders(MEMBER)).containsExactly("/rebuild", "/discard");
    }

    @Test
    void a_rebuild_that_leaves_snapshots_is_not_over() throws Exception {
        agent(FAR).refuse("/end");

        rebuild(Optional.empty()).run();

        assertThat(orders(MEMBER)).doesNotContain("/end-rebuild");
        assertThat(screen).last().asString().startsWith("the node has its data, and snapshots stay at ");
    }

    @Test
    void a_rebuild_is_not_over_while_an_earlier_source_does_not_answer() throws Exception {
        agent(MEMBER).answer("/rebuild", nothing -> begun(Map.of("shop", List.of(RANGE))));
        FakeAgent.Ring withoutFar = new FakeAgent.Ring("s1", List.of(NEAR, MEMBER), List.of(FAR), List.of());
        agent(NEAR).ring(withoutFar);
        agent(MEMBER).ring(withoutFar);
        agent(FAR).starting(Integer.MAX_VALUE);
        agent(FAR).refuse("/end");

        rebuild(Optional.empty()).run();

        assertThat(orders(MEMBER)).doesNotContain("/end-rebuild");
        assertThat(orders(NEAR)).endsWith("/end");
        assertThat(screen)
                .last()
                .asString()
                .startsWith("the node has its data, and snapshots stay at "
                        + agent(FAR).client());
    }

    @Test
    void a_node_that_is_no_member_is_awaited() {
        agent(MEMBER).modes("JOINING");

        assertThatThrownBy(() -> rebuild(Optional.empty()).run())
                .isInstanceOf(IOException.class)
                .hasMessage("node " + MEMBER + " is JOINING (expected: NORMAL, a member that is to be rebuilt; waited 1"
                        + " s)");
        assertThat(orders(MEMBER)).isEmpty();
    }

    @Test
    void a_look_changes_nothing_and_says_who_sends_how_much() throws Exception {
        assertThat(rebuild(Optional.of("far"), Map.of("logs", "logs.t has an index"))
                        .dryRun(1_000))
                .isTrue();

        assertThat(screen)
                .startsWith(
                        "node " + MEMBER + " is a member of the ring, and can be rebuilt",
                        "plan: " + FAR + " sends 1 ranges of keyspace shop, 1 tables, 300 B")
                .anyMatch(line -> line.startsWith("room: 300 B needed at 10.0.0.4, "));
        agents.keySet().forEach(node -> assertThat(orders(node)).isEmpty());
    }

    @Test
    void a_look_says_what_an_earlier_run_has_completed() throws Exception {
        begun(Map.of("shop", List.of(RANGE)));

        assertThat(rebuild(Optional.empty()).dryRun(1_000)).isTrue();

        assertThat(screen).contains("keyspace shop is complete already");
    }

    @Test
    void aborting_clears_snapshots_and_what_landed_and_is_the_end_of_it() throws Exception {
        begun(Map.of());

        rebuild(Optional.empty()).abort("wrong node");

        assertThat(orders(MEMBER)).containsExactly("/discard", "/end-rebuild");
        assertThat(agent(FAR).orders()).containsExactly("/end {\"operation\":\"" + OPERATION + "\"}");
        assertThat(screen)
                .first()
                .isEqualTo("the rebuild of node " + MEMBER + " is aborted: wrong node; what is imported stays");
    }

    @Test
    void aborting_may_be_repeated_until_all_is_removed() throws Exception {
        begun(Map.of());
        agent(FAR).refuse("/end");
        Join join = rebuild(Optional.empty());

        assertThatThrownBy(() -> join.abort("wrong node")).hasMessageContaining("run --abort again");
        assertThat(orders(MEMBER)).doesNotContain("/end-rebuild");
        agent(FAR).refuse("nothing");
        join.abort("wrong node");
        assertThat(orders(MEMBER)).last().isEqualTo("/end-rebuild");
    }

    @Test
    void without_a_rebuild_there_is_nothing_to_abort() {
        assertThatThrownBy(() -> rebuild(Optional.empty()).abort("wrong node"))
                .isInstanceOf(IOException.class)
                .hasMessage("no rebuild of node " + MEMBER + " has begun");
    }
}
