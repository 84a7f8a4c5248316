package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The engine of the receiver plans what it has to fetch of the source. */
class PlanningInVirtualTimeTest {
    private static CompletableFuture<TopologyPlan> plan(TwoEngines cluster) {
        Node receiver = cluster.receiver.node.withTokens(List.of(new Token(0)));
        Node source = cluster.source.node.withTokens(List.of(new Token(1)));
        List<TopologyChange.Difference> differences = new ArrayList<>();
        Map<TableRef, Ring> rings = new LinkedHashMap<>();
        for (TableRef table : cluster.tables) {
            differences.add(new TopologyChange.Difference(receiver, source, table, TokenRanges.FULL));
            rings.put(table, new Ring(List.of(receiver, source), 2));
        }
        return cluster.engine(cluster.receiver).plan(new TopologyChange.Repair(differences, true), rings);
    }

    private static TopologyPlan await(TwoEngines cluster, CompletableFuture<TopologyPlan> planning) {
        cluster.until(planning::isDone);
        return planning.join();
    }

    private static StreamException failure(CompletableFuture<TopologyPlan> planning) {
        assertThat(planning).isCompletedExceptionally();
        try {
            planning.join();
            throw new AssertionError("it has not failed");
        } catch (CompletionException e) {
            return (StreamException) Objects.requireNonNull(e.getCause());
        }
    }

    @Test
    void asks_and_fetches_all_without_a_pin_for_the_question() throws IOException {
        try (TwoEngines cluster = new TwoEngines(3, 40)) {
            List<String> calls = new ArrayList<>();
            cluster.store(cluster.source).onCall = calls::add;

            TopologyPlan plan = await(cluster, plan(cluster));

            assertThat(calls).hasSize(3).allMatch(call -> call.startsWith("inspect "));
            assertThat(plan.totalBytes()).isPositive();
            CompletableFuture<PlanResult> result =
                    cluster.engine(cluster.receiver).execute(plan.streamPlan(plan.id(), cluster.receiver.node));
            cluster.until(result::isDone);
            assertThat(result.join().isComplete()).isTrue();
        }
    }

    @Test
    void a_source_whose_database_hangs_is_asked_again_and_answers() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, 40)) {
            cluster.hangAtCall(cluster.source, "inspect");
            CompletableFuture<TopologyPlan> planning = plan(cluster);
            cluster.pass(TwoEngines.SILENCE.plusMillis(100));
            assertThat(planning).isNotDone();

            cluster.answer(cluster.source);

            assertThat(await(cluster, planning).unavailable()).isEmpty();
        }
    }

    @Test
    void a_source_that_never_answers_is_given_up_after_three_silences() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, 40)) {
            cluster.hangAtCall(cluster.source, "inspect");
            Duration since = cluster.now();
            CompletableFuture<TopologyPlan> planning = plan(cluster);

            cluster.until(planning::isDone);

            assertThat(failure(planning).code()).isEqualTo(ErrorCode.NO_SOURCE);
            assertThat(failure(planning)).hasMessageContaining("left out: source: TIMEOUT");
            assertThat(cluster.now().minus(since))
                    .isBetween(TwoEngines.SILENCE.multipliedBy(3), TwoEngines.SILENCE.multipliedBy(4));
            cluster.answer(cluster.source);
        }
    }

    @Test
    void a_database_that_fails_is_asked_as_often_as_its_code_allows() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, 40)) {
            AtomicInteger calls = new AtomicInteger();
            cluster.store(cluster.source).onCall = call -> {
                if (calls.incrementAndGet() < 3) {
                    throw new StreamException(ErrorCode.LIMIT, "too much at once");
                }
            };

            assertThat(await(cluster, plan(cluster)).unavailable()).isEmpty();
            assertThat(calls).hasValue(3);
        }
    }

    @Test
    void a_node_that_ends_ends_its_planning() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, 40)) {
            cluster.hangAtCall(cluster.source, "inspect");
            CompletableFuture<TopologyPlan> planning = plan(cluster);
            cluster.pass(Duration.ofMillis(500));

            var unused = cluster.engine(cluster.receiver).cancelAll("the node is shutting down");

            assertThat(failure(planning).code()).isEqualTo(ErrorCode.CANCELLED);
            assertThat(failure(plan(cluster)).code()).isEqualTo(ErrorCode.CANCELLED);
            cluster.answer(cluster.source);
        }
    }
}
