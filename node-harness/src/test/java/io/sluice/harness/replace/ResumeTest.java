package io.sluice.harness.replace;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.harness.agent.AgentMessages.Arrivals;
import io.sluice.harness.agent.AgentMessages.Digests;
import io.sluice.harness.agent.AgentMessages.Fetching;
import io.sluice.harness.agent.AgentMessages.Imported;
import io.sluice.harness.agent.AgentMessages.Landed;
import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.harness.agent.AgentMessages.Proof;
import io.sluice.harness.agent.AgentMessages.StoredDigests;
import io.sluice.harness.content.RangeDigest;
import io.sluice.harness.content.StoredDigest;
import io.sluice.harness.json.Json;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an earlier run has fetched, verified or imported of a keyspace is not fetched again. */
class ResumeTest {
    private static final String ONE = "10.0.0.1:7000";
    private static final String TWO = "10.0.0.2:7000";
    private static final String TARGET = "10.0.0.4:7000";
    private static final UUID BEFORE = new UUID(9, 9);
    private static final TableRef USERS = new TableRef(new UUID(3, 3), "shop", "users");
    private static final TableRef CARTS = new TableRef(new UUID(4, 4), "shop", "carts");
    private static final TokenRanges RANGES = TokenRanges.of(TokenRange.of(0, 50));

    private final List<String> screen = new CopyOnWriteArrayList<>();
    private final Map<String, FakeAgent> agents = new TreeMap<>();

    @BeforeEach
    void start() throws IOException {
        for (String endpoint : List.of(ONE, TWO, TARGET)) {
            FakeAgent agent = new FakeAgent(endpoint);
            agent.answer("/pinned-stored", order -> TransfersTest.stored(order, 3, 300));
            agent.answer("/landed-stored", order -> TransfersTest.stored(order, 2, 200));
            agent.answer("/fetch/", nothing -> TransfersTest.progress(TransfersTest.complete()));
            agents.put(endpoint, agent);
        }
        target().answer(
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

    private FakeAgent target() {
        return java.util.Objects.requireNonNull(agents.get(TARGET));
    }

    private Member member(String endpoint) throws IOException {
        FakeAgent agent = java.util.Objects.requireNonNull(agents.get(endpoint));
        return new Member(agent.client(), agent.client().status());
    }

    private static UUID agent(String endpoint) {
        return new UUID(0, endpoint.hashCode());
    }

    private void isThere(List<Fetching> fetching, Landed... landed) {
        target().answer("/arrivals", nothing -> new Arrivals(fetching, List.of(landed)));
    }

    private static Landed landed(String source, TableRef table) {
        return new Landed(BEFORE, agent(source), table, RANGES, 200, Optional.empty());
    }

    private static Landed imported(String source, TableRef table) {
        Proof proof = new Proof(BEFORE, source, 1, 0, 3, 300, 2, 200, "d1");
        return new Landed(BEFORE, agent(source), table, RANGES, 200, Optional.of(proof));
    }

    private List<JoinReport.Transfer> bring() throws IOException, InterruptedException {
        JoinOrder order = new JoinOrder(
                Operation.REPLACE,
                Optional.of("10.0.0.3"),
                "10.0.0.4",
                JoinOrder.From.ALL_REPLICAS,
                Duration.ofSeconds(1),
                Optional.empty());
        Map<Member, List<Pinned>> pinned = new TreeMap<>((a, b) -> a.endpoint().compareTo(b.endpoint()));
        for (String source : List.of(ONE, TWO)) {
            pinned.put(
                    member(source),
                    List.of(
                            new Pinned(USERS, 3, 300, List.of("nb"), false),
                            new Pinned(CARTS, 3, 300, List.of("nb"), false)));
        }
        return new Transfers(order, new UUID(7, 7), new UUID(5, 5), member(TARGET), new JoinProgress(screen::add))
                .bring(
                        new JoinPlan("shop", List.of("(0,50]"), Map.of(ONE, RANGES, TWO, RANGES), Map.of(ONE, RANGES)),
                        pinned,
                        Optional::empty)
                .transfers();
    }

    private List<String> orders(String path) {
        return target().orders().stream()
                .filter(order -> order.startsWith(path))
                .toList();
    }

    @Test
    void what_landed_before_is_verified_again_and_not_fetched() throws Exception {
        isThere(List.of(), landed(ONE, USERS), landed(ONE, CARTS), landed(TWO, USERS));

        assertThat(bring()).hasSize(4);

        assertThat(orders("/fetch"))
                .singleElement()
                .asString()
                .contains("\"carts\"", agent(TWO).toString())
                .doesNotContain("\"users\"");
        assertThat(orders("/import")).hasSize(2);
        assertThat(screen).contains("from " + ONE + ": 2 of 2 tables have landed before");
    }

    @Test
    void what_landed_in_other_ranges_or_from_others_is_fetched() throws Exception {
        TokenRanges others = TokenRanges.of(TokenRange.of(0, 40));
        isThere(
                List.of(),
                new Landed(BEFORE, agent(ONE), USERS, others, 200, Optional.empty()),
                landed("10.0.0.9:7000", CARTS));

        bring();

        assertThat(orders("/fetch"))
                .hasSize(2)
                .allMatch(order -> order.contains("\"users\"") && order.contains("\"carts\""));
    }

    @Test
    void what_landed_before_and_is_not_what_is_pinned_now_is_fetched_again() throws Exception {
        isThere(List.of(), landed(ONE, USERS));
        target().answer("/landed-stored", order -> differentIf(BEFORE, order));
        java.util.Objects.requireNonNull(agents.get(ONE))
                .answer("/pinned-digests", order -> TransfersTest.digests(order, 3, 300));
        target().answer(
                        "/landed-digests",
                        order -> new Digests(
                                List.of(new RangeDigest(TokenRange.of(0, 50), new ContentDigest(0, 1, 1, 1, 1))),
                                2,
                                200));

        bring();

        assertThat(orders("/fetch")).hasSize(2).first().asString().contains("\"users\"");
        assertThat(screen).anyMatch(line -> line.endsWith("; it landed before, and is fetched again"));
    }

    private static StoredDigests differentIf(UUID plan, JsonNode order) {
        StoredDigests equal = TransfersTest.stored(order, 2, 200);
        return order.get("planId").asText().equals(plan.toString())
                ? new StoredDigests(List.of(StoredDigest.ofDigests(List.of("other bytes"))), 2, 200)
                : equal;
    }

    @Test
    void a_table_that_was_imported_from_all_its_sources_is_not_touched() throws Exception {
        isThere(List.of(), imported(ONE, USERS), imported(TWO, USERS));

        List<JoinReport.Transfer> transfers = bring();

        assertThat(transfers)
                .hasSize(4)
                .contains(new JoinReport.Transfer(TWO, "shop.users", 1, 0, 3, 300, 2, 200, "d1"));
        assertThat(orders("/fetch")).hasSize(2).noneMatch(order -> order.contains("\"users\""));
        assertThat(orders("/import")).singleElement().asString().contains("\"carts\"");
        assertThat(screen).contains("shop.users: imported before");
    }

    /** Else a tombstone might be compacted away before the data that it deletes is there. */
    @Test
    void a_table_that_was_imported_from_one_source_is_fetched_from_all_and_imported_at_once() throws Exception {
        isThere(List.of(), imported(ONE, USERS));

        bring();

        assertThat(orders("/fetch")).hasSize(2).allMatch(order -> order.contains("\"users\""));
        assertThat(orders("/import")).hasSize(2).allMatch(order -> order.contains(ONE) && order.contains(TWO));
    }

    @Test
    void a_plan_that_runs_on_is_awaited_and_one_for_other_ranges_is_ended() throws Exception {
        UUID other = new UUID(9, 10);
        TokenRanges others = TokenRanges.of(TokenRange.of(0, 40));
        List<Fetching> fetching = List.of(
                new Fetching(BEFORE, agent(ONE), List.of(USERS, CARTS), RANGES),
                new Fetching(other, agent(ONE), List.of(USERS), others));
        isThere(fetching, landed(ONE, USERS), landed(ONE, CARTS));

        bring();

        assertThat(orders("/cancel")).containsExactly("/cancel {\"planId\":\"" + other + "\"}");
        assertThat(orders("/fetch"))
                .singleElement()
                .asString()
                .contains(agent(TWO).toString());
        assertThat(screen).contains("from " + ONE + ": a run before this one has begun to fetch; going on");
    }

    @Test
    void after_a_failed_attempt_only_what_it_has_not_brought_is_fetched() throws Exception {
        Map<String, PlanResult> results = new ConcurrentHashMap<>();
        target().answer("/fetch", order -> {
            UUID plan = Json.MAPPER.convertValue(order.get("planId"), UUID.class);
            boolean isFirst = order.toString().contains(ONE) && order.toString().contains("\"users\"");
            if (isFirst) {
                target().answer(
                                "/arrivals",
                                nothing -> new Arrivals(
                                        List.of(),
                                        List.of(new Landed(plan, agent(ONE), USERS, RANGES, 200, Optional.empty()))));
            }
            results.put(plan.toString(), isFirst ? failed() : TransfersTest.complete());
            return "done";
        });
        target().answer("/fetch/", plan -> TransfersTest.progress(Objects.requireNonNull(results.get(plan.asText()))));

        bring();

        assertThat(orders("/fetch")).hasSize(3);
        assertThat(orders("/fetch").stream().filter(order -> order.contains(ONE)))
                .hasSize(2)
                .last()
                .asString()
                .contains("\"carts\"")
                .doesNotContain("\"users\"");
    }

    private static PlanResult failed() {
        Optional<PlanResult.Failure> failure =
                Optional.of(new PlanResult.Failure(ErrorCode.INTERNAL, Optional.empty(), "a test", Instant.EPOCH));
        return new PlanResult(
                new UUID(0, 1),
                Instant.EPOCH,
                Instant.EPOCH,
                failure,
                List.of(new PlanResult.TableResult(CARTS, 0, 0, Instant.EPOCH, Instant.EPOCH, failure)),
                List.of(),
                List.of());
    }
}
