package io.sluice.harness.replace;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Uninterruptibles;
import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How long a coordinator waits for writes that began before all nodes knew of one that joins. */
@Timeout(60)
class PendingWritesTest {
    private static final String SOURCE = "10.0.0.1:7000";
    private static final String OTHER = "10.0.0.2:7000";
    private static final String TARGET = "10.0.0.4:7000";
    private static final TableRef USERS = new TableRef(new UUID(3, 3), "shop", "users");
    private static final Map<String, List<String>> PLANNED = Map.of(SOURCE, List.of("(0,50]"));
    private static final String WAITS =
            "all 2 nodes send writes to " + TARGET + ", too; waiting 1 ms for writes that began before";
    private static final String IS_OVER =
            "all 2 nodes send writes to " + TARGET + ", too, for longer than the 1 ms that a write may take";

    private final List<String> screen = new CopyOnWriteArrayList<>();
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000); // which overflows soon
    private final List<Integer> atOnce = new CopyOnWriteArrayList<>();
    private FakeAgent source;
    private FakeAgent other;
    private FakeAgent target;
    private Members members;
    private PendingWrites writes;

    @BeforeEach
    void start() throws IOException {
        source = new FakeAgent(SOURCE);
        other = new FakeAgent(OTHER);
        target = new FakeAgent(TARGET);
        members = new Members(List.of(source.client(), other.client(), target.client()));
        target.modes("JOINING");
        bothSend("(0,50]");
        writes = writes(Replicas::pending);
    }

    private PendingWrites writes(Function<Replicas, Map<String, List<String>>> writtenTo) {
        JoinOrder order = new JoinOrder(
                Operation.REPLACE,
                Optional.of("10.0.0.3"),
                "10.0.0.4",
                JoinOrder.From.ALL_REPLICAS,
                Duration.ofSeconds(1),
                Optional.empty());
        return new PendingWrites(order, members, new JoinProgress(screen::add), writtenTo, nanos::get);
    }

    @AfterEach
    void stop() throws IOException {
        source.close();
        other.close();
        target.close();
    }

    private void bothSend(String range) {
        sends(source, range);
        sends(other, range);
    }

    private static void sends(FakeAgent agent, String range) {
        agent.data(
                Map.of(USERS, 1L),
                new Replicas(Map.of("(0,50]", List.of(SOURCE, OTHER)), Map.of(range, List.of(TARGET))));
    }

    private void lookAfter(long millis) throws InterruptedException {
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
        writes.look(members.named("10.0.0.4").orElseThrow());
    }

    private String said() throws IOException, InterruptedException {
        List<Member> sources = members.sources(members.named("10.0.0.4").orElseThrow());
        JoinPlan plan = JoinPlan.of(
                "shop",
                PLANNED,
                new Replicas(Map.of("(0,50]", List.of(SOURCE, OTHER)), Map.of()),
                Set.of(SOURCE, OTHER),
                JoinOrder.From.ALL_REPLICAS);
        writes.await(members.named("10.0.0.4").orElseThrow(), sources, List.of(plan));
        return screen.get(screen.size() - 1);
    }

    @Test
    void whoever_has_not_looked_before_waits_as_long_as_a_write_may_take() throws Exception {
        assertThat(said()).isEqualTo(WAITS);
    }

    @Test
    void what_all_were_seen_to_send_for_long_enough_is_not_waited_for() throws Exception {
        lookAfter(0);
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));

        assertThat(said()).isEqualTo(IS_OVER);
    }

    @Test
    void a_node_that_knows_later_than_the_others_counts() throws Exception {
        sends(other, "(0,10]");
        lookAfter(0);
        lookAfter(2_000);
        sends(other, "(0,50]");

        assertThat(said()).isEqualTo(WAITS);
    }

    @Test
    void what_has_changed_in_between_counts_from_then_on() throws Exception {
        lookAfter(0);
        bothSend("(0,10]");
        lookAfter(2_000);
        bothSend("(0,50]");
        lookAfter(2_000);

        assertThat(said()).isEqualTo(WAITS);
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
        assertThat(said()).isEqualTo(IS_OVER);
    }

    @Test
    void after_a_look_that_failed_nothing_is_known() throws Exception {
        lookAfter(0);
        other.refuse("/replicas");
        lookAfter(2_000);
        other.refuse("");

        assertThat(said()).isEqualTo(WAITS);
    }

    @Test
    void a_source_that_did_not_answer_for_some_seconds_counts_anew() throws Exception {
        lookAfter(0);
        other.refuse("/status");
        for (int second = 0; second < 6; second++) {
            lookAfter(1_000);
        }
        other.refuse("");

        assertThat(said()).isEqualTo(WAITS);
    }

    @Test
    void what_nobody_has_looked_at_for_some_seconds_counts_anew() throws Exception {
        lookAfter(0);
        lookAfter(5_000);
        assertThat(said()).isEqualTo(IS_OVER);

        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(5_001));
        assertThat(said()).isEqualTo(WAITS);
    }

    @Test
    void it_looks_once_a_second_while_the_node_joins() throws Exception {
        target.modes("STARTING");
        lookAfter(0);
        target.modes("JOINING");
        bothSend("(0,10]");
        lookAfter(0);
        bothSend("(0,50]");
        lookAfter(999); // not seen
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));

        assertThat(said()).isEqualTo(WAITS);
    }

    @Test
    void an_agent_is_asked_for_one_keyspace_at_a_time() throws Exception {
        TableRef logs = new TableRef(new UUID(4, 4), "web", "logs");
        CountDownLatch bothAtOnce = new CountDownLatch(2);
        source.tables(USERS, logs);
        source.answer("/replicas", nothing -> {
            bothAtOnce.countDown();
            boolean isSecond = Uninterruptibles.awaitUninterruptibly(bothAtOnce, 1, TimeUnit.SECONDS);
            atOnce.add(isSecond && bothAtOnce.getCount() == 0 ? 2 : 1);
            return new Replicas(Map.of(), Map.of());
        });

        lookAfter(0);

        assertThat(atOnce).hasSize(2).contains(1);
    }

    @Test
    void a_node_that_does_not_join_is_not_looked_at() throws Exception {
        target.modes("NORMAL");
        lookAfter(0);
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));

        assertThat(said()).isEqualTo(WAITS);
    }

    @Test
    void looks_while_a_node_joined_count_for_nothing_once_other_ranges_matter() throws Exception {
        writes = writes(Replicas::natural); // as a rebuild's
        lookAfter(0);
        Map<String, List<String>> rebuilt = Map.of("(0,50]", List.of(SOURCE, OTHER, TARGET));
        source.data(Map.of(USERS, 1L), new Replicas(rebuilt, Map.of()));
        other.data(Map.of(USERS, 1L), new Replicas(rebuilt, Map.of()));
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));

        assertThat(said()).isEqualTo(WAITS);
    }
}
