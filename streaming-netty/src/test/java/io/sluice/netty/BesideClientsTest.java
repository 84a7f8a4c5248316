package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.nio.file.Path;
import java.time.Duration;
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

    /** To write so much takes 20 ms or more, and to fetch it without rests a tenth of a second or two. */
    @Test
    void rests_most_of_the_time_if_it_is_told_to_and_never_while_it_joins() throws Exception {
        Node source = TestTables.node("source");
        StreamOptions options = StreamOptions.builder()
                .set("streaming_duty_beside_clients", "2%")
                .build();
        try (StreamingNode sender =
                        StreamingNode.start(source, options, TestTables.store(temp.resolve("source"), 2, TABLE_BYTES));
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("target"), options, TestTables.store(temp.resolve("target"), 2, 0))) {
            Duration joining = time(receiver, source, 0, Operation.REPLACE);
            Duration serving = time(receiver, source, 1, Operation.REPAIR);

            assertThat(serving).isGreaterThan(Duration.ofMillis(700)).isGreaterThan(joining);
            assertThat(sender.counters().bytesSent()).isGreaterThan(2L * TABLE_BYTES);
        }
    }
}
