package io.sluice.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.admin.FetchState;
import io.sluice.harness.admin.FetchState.Phase;
import io.sluice.harness.admin.FetchState.Problem;
import io.sluice.harness.scenario.ScenarioException.Kind;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.Operation.Priority;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.PlanResult.TableResult;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The worst of all ends is the end, and the first cause its reason. */
class OutcomeTest {
    private static final UUID PLAN = new UUID(1, 2);
    private static final Node NODE4 = node("node4");
    private static final Node NODE5 = node("node5");

    private static Node node(String name) {
        return new Node(
                UUID.nameUUIDFromBytes(name.getBytes(java.nio.charset.StandardCharsets.UTF_8)),
                name,
                new Address("127.0.0.1", 1),
                List.of());
    }

    private static TableResult table(String name) {
        return table(name, Optional.empty());
    }

    private static TableResult failed(String name, ErrorCode code, String reason) {
        return table(name, Optional.of(new PlanResult.Failure(code, Optional.empty(), reason, Instant.EPOCH)));
    }

    private static TableResult table(String name, Optional<PlanResult.Failure> failure) {
        TableRef ref = new TableRef(new UUID(0, name.hashCode()), "ks", name);
        return new TableResult(ref, 3, 100, Instant.EPOCH, Instant.EPOCH, failure);
    }

    private static FetchState ended(long nanos, List<TableResult> tables, Optional<Problem> failure) {
        Optional<PlanResult> result = failure.isPresent()
                ? Optional.empty()
                : Optional.of(new PlanResult(
                        PLAN, Instant.EPOCH, Instant.EPOCH, Optional.empty(), tables, List.of(), List.of()));
        return new FetchState(
                PLAN, Operation.REPLACE, Priority.REPLACE, Phase.ENDED, List.of(), nanos, 0, result, failure);
    }

    private static FetchState ended(TableResult... tables) {
        return ended(1, List.of(tables), Optional.empty());
    }

    private static ScenarioException failure(Map<Node, FetchState> ended) {
        return Outcome.of(ended).failure().orElseThrow();
    }

    @Test
    void all_installed_is_no_failure() {
        assertThat(Outcome.of(Map.of(NODE4, ended(table("a"), table("b")))).failure())
                .isEmpty();
    }

    @Test
    void one_table_of_two_is_installed_in_part() {
        ScenarioException failure =
                failure(Map.of(NODE4, ended(table("a"), failed("b", ErrorCode.PEER_LOST, "session with node1: gone"))));

        assertThat(failure.kind()).isEqualTo(Kind.PARTLY);
        assertThat(failure.code()).contains(ErrorCode.PEER_LOST);
        assertThat(failure).hasMessage("streaming ks.b to node4 failed: PEER_LOST: session with node1: gone");
    }

    @Test
    void who_failed_first_gives_the_reason() {
        Map<Node, FetchState> ended = new LinkedHashMap<>();
        ended.put(NODE5, ended(failed("a", ErrorCode.DISK_FULL, "no room")));
        ended.put(NODE4, ended(failed("a", ErrorCode.CANCELLED, "the plan was abandoned")));

        assertThat(failure(ended).kind()).isEqualTo(Kind.FAILED);
        assertThat(failure(ended).code()).contains(ErrorCode.DISK_FULL);
    }

    @Test
    void what_never_began_was_refused() {
        Problem problem = new Problem(ErrorCode.NO_SOURCE, "ks.a (1,2]: none of the 2 nodes that may send it is up");

        ScenarioException failure = failure(Map.of(NODE4, ended(0, List.of(), Optional.of(problem))));

        assertThat(failure.kind()).isEqualTo(Kind.REFUSED);
        assertThat(failure.code()).contains(ErrorCode.NO_SOURCE);
    }
}
