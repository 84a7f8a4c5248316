package io.sluice.harness.replace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.harness.agent.AgentMessages.Digests;
import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.harness.content.RangeDigest;
import io.sluice.harness.json.Json;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which sources send a table, by what they have pinned. */
class SharingTest {
    private static final String ONE = "10.0.0.1:7000";
    private static final String TWO = "10.0.0.2:7000";
    private static final TableRef USERS = new TableRef(new UUID(3, 3), "shop", "users");
    private static final TableRef CARTS = new TableRef(new UUID(4, 4), "shop", "carts");
    private static final TokenRange LOW = TokenRange.of(0, 50);
    private static final TokenRange HIGH = TokenRange.of(50, 90);
    private static final TokenRanges BOTH = TokenRanges.of(LOW, HIGH);

    private final List<String> screen = new CopyOnWriteArrayList<>();
    private final Map<String, FakeAgent> agents = new TreeMap<>();

    @BeforeEach
    void start() throws IOException {
        agents.put(ONE, new FakeAgent(ONE));
        agents.put(TWO, new FakeAgent(TWO));
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

    /** From now on an agent has one row more in these ranges than others have. */
    private void differs(String endpoint, Set<TokenRange> ranges) {
        agent(endpoint).answer("/pinned-digests", order -> digests(order, ranges));
    }

    private static Digests digests(JsonNode order, Set<TokenRange> differing) {
        List<RangeDigest> digests = new ArrayList<>();
        for (JsonNode node : order.get("ranges")) {
            TokenRange range = Json.MAPPER.convertValue(node, TokenRange.class);
            long rows = differing.contains(range) ? 8 : 7;
            digests.add(new RangeDigest(range, new ContentDigest(0, rows, 1, rows, rows)));
        }
        return new Digests(digests, 3, 300);
    }

    private List<Share> shares(JoinOrder.From from) throws IOException, InterruptedException {
        return shares(from, BOTH);
    }

    /** @param ofTwo what the second source might send; the first one might send all */
    private List<Share> shares(JoinOrder.From from, TokenRanges ofTwo) throws IOException, InterruptedException {
        return shares(
                from,
                new JoinPlan(
                        "shop",
                        List.of("(0,50]", "(50,90]"),
                        Map.of(ONE, BOTH, TWO, ofTwo),
                        Map.of(
                                ONE,
                                BOTH.minus(ofTwo.minus(TokenRanges.of(HIGH))),
                                TWO,
                                ofTwo.minus(TokenRanges.of(HIGH)))));
    }

    private List<Share> shares(JoinOrder.From from, JoinPlan plan) throws IOException, InterruptedException {
        JoinOrder order = new JoinOrder(
                Operation.REBUILD, Optional.empty(), "10.0.0.4", from, Duration.ofSeconds(1), Optional.empty());
        Map<Member, List<Pinned>> pinned = new TreeMap<>((a, b) -> a.endpoint().compareTo(b.endpoint()));
        for (FakeAgent agent : agents.values()) {
            pinned.put(
                    new Member(agent.client(), agent.client().status()),
                    List.of(
                            new Pinned(USERS, 3, 300, List.of("nb"), false),
                            new Pinned(CARTS, 3, 300, List.of("nb"), false)));
        }
        JoinProgress progress = new JoinProgress(screen::add);
        return new Sharing(order, new PinnedDigests(new UUID(7, 7), progress), progress).shares(plan, pinned);
    }

    private static String text(Share share) {
        return share.source() + " sends " + share.pinned().size() + " tables of " + share.ranges();
    }

    @Test
    void replicas_that_agree_send_what_cassandra_has_chosen_of_them() throws Exception {
        differs(ONE, Set.of());
        differs(TWO, Set.of());

        assertThat(shares(JoinOrder.From.NEEDED))
                .extracting(SharingTest::text)
                .containsExactly(
                        ONE + " sends 2 tables of " + TokenRanges.of(HIGH),
                        TWO + " sends 2 tables of " + TokenRanges.of(LOW));
    }

    @Test
    void where_they_differ_both_send_and_digests_are_not_asked_for_again() throws Exception {
        differs(ONE, Set.of(LOW));
        differs(TWO, Set.of());

        List<Share> shares = shares(JoinOrder.From.NEEDED);

        assertThat(shares)
                .extracting(SharingTest::text)
                .containsExactly(ONE + " sends 2 tables of " + BOTH, TWO + " sends 2 tables of " + TokenRanges.of(LOW));
        Digests known = java.util.Objects.requireNonNull(
                shares.get(0).known().get(shares.get(0).pinned().get(0).table()));
        assertThat(known.ranges())
                .as("of parts that are next to each other, the sum")
                .containsExactly(new RangeDigest(TokenRange.of(0, 90), new ContentDigest(0, 15, 2, 15, 15)));
    }

    @Test
    void a_source_that_has_nothing_that_others_lack_sends_nothing_and_it_is_said() throws Exception {
        agent(ONE).answer("/pinned-digests", order -> digests(order, Set.of()));
        agent(TWO).answer("/pinned-digests", order -> TransfersTest.digests(order, 3, 300));

        assertThat(shares(JoinOrder.From.NEEDED))
                .extracting(SharingTest::text)
                .containsExactly(ONE + " sends 2 tables of " + BOTH);
        assertThat(screen)
                .contains("shop.users: " + TWO + " has nothing that others lack, and sends nothing")
                .hasSize(2);
    }

    @Test
    void a_table_that_only_one_source_has_is_not_read_before_it_is_fetched() throws Exception {
        agent(ONE).refuse("/pinned-digests");
        agent(TWO).close();
        agents.remove(TWO);

        assertThat(shares(JoinOrder.From.NEEDED))
                .extracting(SharingTest::text)
                .containsExactly(ONE + " sends 2 tables of " + BOTH);
    }

    @Test
    void a_range_that_only_one_source_has_is_not_read_before_it_is_fetched() throws Exception {
        List<String> asked = new CopyOnWriteArrayList<>();
        for (String endpoint : List.of(ONE, TWO)) {
            agent(endpoint).answer("/pinned-digests", order -> {
                asked.add(endpoint + " " + order.get("ranges").size() + " range");
                return digests(order, endpoint.equals(ONE) ? Set.of(HIGH) : Set.of());
            });
        }

        List<Share> shares = shares(JoinOrder.From.NEEDED, TokenRanges.of(HIGH));

        assertThat(shares)
                .extracting(SharingTest::text)
                .containsExactly(
                        ONE + " sends 2 tables of " + BOTH, TWO + " sends 2 tables of " + TokenRanges.of(HIGH));
        assertThat(asked)
                .containsExactlyInAnyOrder(ONE + " 1 range", TWO + " 1 range", ONE + " 1 range", TWO + " 1 range");
        assertThat(shares.get(0).known()).as("rows of all of its ranges").isEmpty();
        assertThat(shares.get(1).known()).hasSize(2);
    }

    @Test
    void sources_of_different_ranges_are_not_asked_for_digests() throws Exception {
        agent(ONE).refuse("/pinned-digests");
        agent(TWO).refuse("/pinned-digests");
        JoinPlan plan = new JoinPlan(
                "shop",
                List.of("(0,50]", "(50,90]"),
                Map.of(ONE, TokenRanges.of(LOW), TWO, TokenRanges.of(HIGH)),
                Map.of(ONE, TokenRanges.of(LOW), TWO, TokenRanges.of(HIGH)));

        assertThat(shares(JoinOrder.From.NEEDED, plan))
                .extracting(SharingTest::text)
                .containsExactly(
                        ONE + " sends 2 tables of " + TokenRanges.of(LOW),
                        TWO + " sends 2 tables of " + TokenRanges.of(HIGH));
    }

    @Test
    void a_snapshot_that_was_removed_is_not_taken_for_agreement() {
        agent(ONE).answer("/pinned-digests", order -> TransfersTest.digests(order, 0, 0));
        differs(TWO, Set.of());

        assertThatThrownBy(() -> shares(JoinOrder.From.NEEDED))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("at " + ONE + ": the snapshot has 0 SSTables of 0 bytes (expected: 3 of 300");
    }

    @Test
    void all_replicas_send_all_if_that_is_wanted_and_nothing_is_read_before() throws Exception {
        assertThat(shares(JoinOrder.From.ALL_REPLICAS))
                .extracting(SharingTest::text)
                .containsExactly(ONE + " sends 2 tables of " + BOTH, TWO + " sends 2 tables of " + BOTH);
    }
}
