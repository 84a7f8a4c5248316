package io.sluice.harness.replace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.util.concurrent.Uninterruptibles;
import io.sluice.harness.agent.AgentClient;
import io.sluice.harness.agent.AgentMessages.Digests;
import io.sluice.harness.agent.AgentMessages.Imported;
import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.harness.agent.AgentMessages.Progress;
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
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What was brought is what was pinned, and what is imported is what was verified. Long because each case sets up what a
 * node has and what arrives.
 */
class TransfersTest {
    private static final String SOURCE = "10.0.0.1:7000";
    private static final String OTHER = "10.0.0.2:7000";
    private static final String TARGET = "10.0.0.4:7000";
    private static final UUID COORDINATOR = new UUID(5, 5);
    private static final TableRef USERS = new TableRef(new UUID(3, 3), "shop", "users");
    private static final TokenRange LOW = TokenRange.of(0, 50);
    private static final TokenRange HIGH = TokenRange.of(60, 90);
    private static final int MOST_POLLS = 50;

    private final List<String> screen = Collections.synchronizedList(new ArrayList<>());
    private FakeAgent source;
    private FakeAgent target;

    @BeforeEach
    void start() throws IOException {
        source = new FakeAgent(SOURCE);
        target = new FakeAgent(TARGET);
        source.answer("/pinned-stored", order -> stored(order, 3, 300));
        target.answer("/fetch/", nothing -> progress(complete()));
        target.answer("/landed-stored", order -> stored(order, 2, 200));
        target.answer("/import", order -> new Imported(sum(order, "landedSSTables"), sum(order, "landedBytes")));
    }

    @AfterEach
    void stop() throws IOException {
        source.close();
        target.close();
    }

    private static int sum(JsonNode order, String field) {
        int sum = 0;
        for (JsonNode proof : order.get("proofs")) {
            sum += proof.get(field).asInt();
        }
        return sum;
    }

    static Digests digests(JsonNode order, int sstables, long bytes) {
        List<RangeDigest> ranges = new ArrayList<>();
        for (JsonNode range : order.get("ranges")) {
            ranges.add(new RangeDigest(Json.MAPPER.convertValue(range, TokenRange.class), ContentDigest.EMPTY));
        }
        return new Digests(ranges, sstables, bytes);
    }

    static StoredDigests stored(JsonNode order, int sstables, long bytes) {
        List<StoredDigest> ranges = new ArrayList<>();
        order.get("ranges").forEach(range -> ranges.add(StoredDigest.ofDigests(List.of(range.toString()))));
        return new StoredDigests(ranges, sstables, bytes);
    }

    static PlanResult complete() {
        return new PlanResult(
                new UUID(0, 1), Instant.EPOCH, Instant.EPOCH, Optional.empty(), List.of(), List.of(), List.of());
    }

    static Progress progress(PlanResult ended) {
        return new Progress(List.of(), Optional.empty(), 0, List.of(), Optional.of(ended));
    }

    private Operation operation = Operation.REPLACE;

    private List<JoinReport.Transfer> bring(TokenRanges ranges, List<TableRef> tables)
            throws IOException, InterruptedException {
        return bring(tables, Map.of(source, ranges));
    }

    private List<JoinReport.Transfer> bring(List<TableRef> tables, Map<FakeAgent, TokenRanges> sources)
            throws IOException, InterruptedException {
        JoinOrder order = new JoinOrder(
                operation,
                Optional.of("10.0.0.3"),
                "10.0.0.4",
                JoinOrder.From.ALL_REPLICAS,
                Duration.ofSeconds(1),
                Optional.empty());
        Member to = new Member(target.client(), target.client().status());
        List<Pinned> pinned = tables.stream()
                .map(table -> new Pinned(table, 3, 300, List.of("nb"), false))
                .toList();
        Map<Member, List<Pinned>> bySource = new HashMap<>();
        Map<String, TokenRanges> plan = new HashMap<>();
        for (Map.Entry<FakeAgent, TokenRanges> from : sources.entrySet()) {
            AgentClient agent = from.getKey().client();
            Member member = new Member(agent, agent.status());
            bySource.put(member, pinned);
            plan.put(member.endpoint(), from.getValue());
        }
        return new Transfers(order, new UUID(7, 7), COORDINATOR, to, new JoinProgress(screen::add))
                .bring(new JoinPlan("shop", List.of("(0,50]"), plan, plan), bySource, Optional::empty)
                .transfers();
    }

    private List<JoinReport.Transfer> bring() throws IOException, InterruptedException {
        return bring(TokenRanges.of(TokenRange.of(0, 50)), List.of(USERS));
    }

    private List<String> orders(String path) {
        return target.orders().stream().filter(order -> order.startsWith(path)).toList();
    }

    @Test
    void what_landed_is_verified_and_imported() throws Exception {
        List<JoinReport.Transfer> transfers = bring();

        assertThat(transfers).singleElement().satisfies(transfer -> {
            assertThat(transfer.digest()).matches("[0-9a-f]{64}");
            assertThat(transfer)
                    .isEqualTo(new JoinReport.Transfer(SOURCE, "shop.users", 1, 0, 3, 300, 2, 200, transfer.digest()));
        });
        assertThat(orders("/import"))
                .singleElement()
                .asString()
                .contains("\"coordinator\":\"" + COORDINATOR + "\"", "\"landedSSTables\":2,\"landedBytes\":200");
        assertThat(screen).last().isEqualTo("shop.users: 2 SSTables, 200 B, imported");
    }

    @Test
    void rows_are_compared_of_ranges_that_are_not_stored_alike() throws Exception {
        target.answer("/landed-stored", order -> differentIn(HIGH, order));
        source.answer("/pinned-digests", order -> digests(order, 3, 300));
        target.answer("/landed-digests", order -> digests(order, 2, 200));

        assertThat(bring(TokenRanges.of(LOW, HIGH), List.of(USERS)))
                .singleElement()
                .matches(transfer -> transfer.ranges() == 2 && transfer.byRows() == 1);
        assertThat(orders("/import")).hasSize(1);
    }

    @Test
    void rows_that_differ_are_not_imported() {
        target.answer("/landed-stored", order -> differentIn(HIGH, order));
        source.answer("/pinned-digests", order -> digests(order, 3, 300));
        target.answer(
                "/landed-digests",
                order -> new Digests(List.of(new RangeDigest(HIGH, new ContentDigest(0, 1, 1, 1, 1))), 2, 200));

        assertThatThrownBy(() -> bring(TokenRanges.of(LOW, HIGH), List.of(USERS)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("shop.users from " + SOURCE + ", range " + HIGH + ": digest ")
                .hasMessageContaining("nothing of it is imported");
        assertThat(orders("/import")).isEmpty();
    }

    @Test
    void a_missing_digest_is_no_proof() {
        target.answer("/landed-stored", order -> new StoredDigests(List.of(), 2, 200));

        assertThatThrownBy(this::bring)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(
                        "shop.users from " + SOURCE + " at " + TARGET + ": digests of 0 ranges (expected: 1)");
        assertThat(orders("/import")).isEmpty();
    }

    private static StoredDigests differentIn(TokenRange different, JsonNode order) {
        List<StoredDigest> ranges = new ArrayList<>(stored(order, 2, 200).ranges());
        for (int i = 0; i < ranges.size(); i++) {
            if (Json.MAPPER
                    .convertValue(order.get("ranges").get(i), TokenRange.class)
                    .equals(different)) {
                ranges.set(i, StoredDigest.ofDigests(List.of("other bytes")));
            }
        }
        return new StoredDigests(ranges, 2, 200);
    }

    @Test
    void a_source_computes_its_digests_while_it_sends() throws Exception {
        CountDownLatch reads = new CountDownLatch(1);
        source.answer("/pinned-stored", order -> {
            reads.countDown();
            return stored(order, 3, 300);
        });
        List<Long> stillToRead = new CopyOnWriteArrayList<>();
        target.answer("/fetch/", nothing -> {
            stillToRead.add(reads.getCount());
            boolean isOver = reads.getCount() == 0 || stillToRead.size() == MOST_POLLS;
            return isOver
                    ? progress(complete())
                    : new Progress(List.of(), Optional.empty(), 0, List.of(), Optional.empty());
        });

        bring();

        assertThat(stillToRead).last().as("sources that had not begun to read").isEqualTo(0L);
    }

    @Test
    void sources_of_different_ranges_are_fetched_from_at_the_same_time() throws Exception {
        CountDownLatch begun = new CountDownLatch(2);
        target.answer("/fetch", order -> {
            begun.countDown();
            return "done";
        });
        List<Boolean> bothBegan = new CopyOnWriteArrayList<>();
        target.answer("/fetch/", plan -> {
            bothBegan.add(Uninterruptibles.awaitUninterruptibly(begun, 10, TimeUnit.SECONDS));
            return progress(complete());
        });
        try (FakeAgent other = new FakeAgent(OTHER)) {
            other.answer("/pinned-stored", order -> stored(order, 3, 300));

            assertThat(bring(List.of(USERS), Map.of(source, TokenRanges.of(LOW), other, TokenRanges.of(HIGH))))
                    .extracting(JoinReport.Transfer::source)
                    .containsExactlyInAnyOrder(SOURCE, OTHER);
        }
        assertThat(bothBegan).as("before one of them was over").containsOnly(true);
        assertThat(orders("/import"))
                .singleElement()
                .asString()
                .as("of both at once")
                .contains(SOURCE, OTHER);
    }

    @Test
    void sources_of_the_same_ranges_are_fetched_from_one_after_the_other() throws Exception {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        target.answer("/fetch", order -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            return "done";
        });
        Map<String, Integer> asked = new ConcurrentHashMap<>();
        target.answer("/fetch/", plan -> {
            boolean isOver = asked.merge(plan.asText(), 1, Integer::sum) == 6; // time for the other one to begin
            if (isOver) {
                running.decrementAndGet();
            }
            return new Progress(
                    List.of(), Optional.empty(), 0, List.of(), isOver ? Optional.of(complete()) : Optional.empty());
        });
        try (FakeAgent other = new FakeAgent(OTHER)) {
            other.answer("/pinned-stored", order -> stored(order, 3, 300));

            assertThat(bring(
                            List.of(USERS),
                            Map.of(source, TokenRanges.of(LOW), other, TokenRanges.of(TokenRange.of(40, 50)))))
                    .hasSize(2);
        }
        assertThat(most).hasValue(1);
    }

    @Test
    void a_snapshot_that_was_removed_does_not_equal_nothing() {
        source.answer("/pinned-stored", order -> stored(order, 0, 0));
        target.answer("/landed-stored", order -> stored(order, 0, 0));

        assertThatThrownBy(this::bring)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("shop.users at " + SOURCE
                        + ": the snapshot has 0 SSTables of 0 bytes (expected: 3 of 300, as when it was pinned")
                .hasMessageContaining("nothing of it is imported");
        assertThat(orders("/import")).isEmpty();
    }

    @Test
    void a_source_with_nothing_in_the_ranges_needs_no_import() throws Exception {
        target.answer("/landed-stored", order -> stored(order, 0, 0));

        bring();

        assertThat(orders("/import")).isEmpty();
        assertThat(screen).last().isEqualTo("shop.users: 0 SSTables, 0 B, imported");
    }

    @Test
    void an_import_of_less_than_was_verified_is_said() {
        target.answer("/import", order -> new Imported(0, 0));

        assertThatThrownBy(this::bring)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(
                        "shop.users: " + TARGET + " has imported 0 SSTables of 0 bytes (expected: 2 of 200");
    }

    @Test
    void ranges_are_stated_once_for_many_tables() throws Exception {
        List<TableRef> tables = IntStream.range(0, 200)
                .mapToObj(i -> new TableRef(new UUID(3, i), "shop", "table_with_a_name_of_usual_length_" + i))
                .toList();
        TokenRanges ranges = TokenRanges.of(IntStream.range(0, 768)
                .mapToObj(i -> TokenRange.of(Long.MIN_VALUE / 2 + i * 2L, Long.MIN_VALUE / 2 + i * 2L + 1))
                .toList());
        assertThat(ranges.ranges()).hasSize(768);
        target.refuse("/landed-stored"); // that it was fetched is enough

        assertThatThrownBy(() -> bring(ranges, tables)).hasMessageContaining("no room");
        assertThat(orders("/fetch")).singleElement().asString().contains("usual_length_0\"", "usual_length_199\"");
    }

    @Test
    void a_question_without_an_answer_does_not_end_a_transfer() throws Exception {
        target.leaveUnanswered("/fetch/", 2);

        bring();

        assertThat(orders("/fetch")).hasSize(1);
        assertThat(orders("/import")).hasSize(1);
    }

    @Test
    void a_question_that_is_refused_is_not_asked_again() {
        target.refuse("/fetch/");

        assertThatThrownBy(this::bring).isInstanceOf(IOException.class).hasMessageContaining("no room");
        assertThat(orders("/import")).isEmpty();
    }

    @Test
    void an_attempt_that_failed_is_followed_by_another() throws Exception {
        List<PlanResult> results = Collections.synchronizedList(new ArrayList<>(List.of(failed(), complete())));
        target.answer("/fetch/", nothing -> progress(results.remove(0)));

        bring();

        assertThat(orders("/fetch")).hasSize(2);
        assertThat(screen).anyMatch(line -> line.startsWith("from " + SOURCE + ", attempt 1 of 3: "));
    }

    @Test
    void a_fetch_that_failed_says_what_becomes_of_the_node() {
        target.answer("/fetch/", nothing -> progress(failed()));

        assertThatThrownBy(this::bring)
                .hasMessageEndingWith(
                        "(the node waits on for the --coordinator-timeout of its agent; run again, or let it go on by --abort)");
        operation = Operation.REBUILD;
        assertThatThrownBy(this::bring).hasMessageEndingWith("(run again, or end the rebuild by --abort)");
    }

    @Test
    void a_node_that_has_died_is_not_said_to_wait() {
        target.answer("/fetch/", nothing -> {
            target.refuse("/status");
            return progress(failed());
        });

        assertThatThrownBy(this::bring)
                .hasMessageEndingWith(
                        "(node " + TARGET + " does not answer: if it is not running, start it; run again)");
    }

    private static PlanResult failed() {
        Optional<PlanResult.Failure> failure =
                Optional.of(new PlanResult.Failure(ErrorCode.INTERNAL, Optional.empty(), "a test", Instant.EPOCH));
        return new PlanResult(
                new UUID(0, 1),
                Instant.EPOCH,
                Instant.EPOCH,
                failure,
                List.of(new PlanResult.TableResult(USERS, 0, 0, Instant.EPOCH, Instant.EPOCH, failure)),
                List.of(),
                List.of());
    }
}
