package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A node that serves clients while it receives. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class BesideClientsTest {
    private static final int TABLE_BYTES = 64 << 20;

    @TempDir
    Path temp;

    private static Duration time(StreamingNode receiver, Node source, int table, Operation operation) throws Exception {
        StreamPlan plan = new StreamPlan(
                UUID.randomUUID(), operation, TestTables.plan(source, table).requests());
        PlanResult result = receiver.execute(plan).get();
        assertThat(result.isComplete()).isTrue();
        return Duration.between(result.started(), result.ended());
    }

    /**
     * At a tenth of the time for work the work itself is the lesser part, however fast the machine is. What happens
     * beside the test makes a short transfer longer, too: the shortest of three counts.
     */
    @Test
    void rests_most_of_the_time_if_it_is_told_to_and_never_while_it_joins() throws Exception {
        Node source = TestTables.node("source");
        StreamOptions options = StreamOptions.builder()
                .connectionsPerHost(1)
                .set("streaming_duty_beside_clients", "10%")
                .build();
        try (StreamingNode sender =
                        StreamingNode.start(source, options, TestTables.store(temp.resolve("source"), 3, TABLE_BYTES));
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("target"), options, TestTables.store(temp.resolve("target"), 3, 0))) {
            time(receiver, source, 2, Operation.REPLACE); // with what has to be loaded and compiled
            List<Duration> joining = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                joining.add(time(receiver, source, 0, Operation.REPLACE));
            }
            Duration serving = time(receiver, source, 1, Operation.REPAIR);

            assertThat(serving).isGreaterThan(Collections.min(joining).multipliedBy(2));
            assertThat(sender.counters().bytesSent()).isGreaterThan(3L * TABLE_BYTES);
        }
    }
}
