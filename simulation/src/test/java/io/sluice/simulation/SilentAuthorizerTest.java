package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An authorizer that never answers whether a peer may stay: it denies after its time limit, in virtual time. */
class SilentAuthorizerTest {
    private static final int ROWS = 16_000; // 256 kB: some seconds

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ends_a_session_a_second_after_it_was_asked(boolean atSource) throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            SimulatedNode node = atSource ? cluster.source : cluster.receiver;
            StreamPlan plan = cluster.planOfAll();
            OrderedPlan running = cluster.execute(plan);
            cluster.untilReceived(plan, 1);
            cluster.engine(cluster.receiver).pause(plan.id()); // the session lasts
            cluster.unanswered.add(node);
            cluster.until(() -> cluster.unanswered.isEmpty());
            Duration asked = cluster.now();

            PlanResult result = cluster.await(running);

            assertThat(cluster.now().minus(asked)).isBetween(Duration.ofSeconds(1), Duration.ofMillis(1_200));
            assertThat(result.tables())
                    .singleElement()
                    .satisfies(table -> assertThat(table.reason())
                            .startsWith("DENIED: ")
                            .contains("may not be connected any more: the authorizer did not answer within 1000 ms"));
        }
    }
}
