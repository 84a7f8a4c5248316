package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A database that leaves the thread interrupted behind a call, as after an InterruptedException that it has caught. */
@Timeout(300)
@ExtendWith(LeakCheck.class)
class InterruptedDatabaseTest {
    private static final List<String> CALLS = List.of(
            "source table",
            "source pinned",
            "source pin.sstables",
            "source liveDirectory",
            "target table",
            "target expectArrivals",
            "target newId",
            "target arrived",
            "target permit",
            "target permit.isRevoked",
            "target liveDirectory",
            "target activate",
            "target activated",
            "target permit.release",
            "target endArrivals");

    @TempDir
    Path temp;

    private final List<String> failedDisks = new CopyOnWriteArrayList<>();
    private final AtomicInteger interruptions = new AtomicInteger();
    private volatile Optional<String> interrupting = Optional.empty();

    private Node source;
    private StreamingNode sender;
    private StreamingNode receiver;

    @BeforeEach
    void start_two_nodes() throws Exception {
        DirectoryStore from = TestTables.store(temp.resolve("source"), 1, 32 << 10);
        from.onCall = call -> called(call.startsWith("pin ") ? "source pinned" : "");
        source = TestTables.node("source");
        StreamOptions options = StreamOptions.builder().connectionsPerHost(1).build();
        sender = StreamingNode.start(source, options, InterceptedStore.of(from, call -> called("source " + call)));
        receiver = StreamingNode.start(
                TestTables.node("target"),
                options,
                InterceptedStore.of(TestTables.store(temp.resolve("target"), 1, 0), call -> called("target " + call)));
    }

    @AfterEach
    void stop_them() {
        Thread.interrupted();
        receiver.close();
        sender.close();
    }

    private void called(String call) {
        if (call.contains("diskFailed")) {
            failedDisks.add(call);
        }
        if (interrupting.filter(call::equals).isPresent()) {
            interruptions.incrementAndGet();
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void an_interruption_that_a_call_leaves_fails_no_plan_and_no_disk() throws Exception {
        for (String call : CALLS) {
            interruptions.set(0);
            interrupting = Optional.of(call);

            PlanResult result = receiver.execute(TestTables.plan(source, 0)).get(60, SECONDS);

            assertThat(result.isComplete()).as(call + ": " + result.tables()).isTrue();
            assertThat(interruptions.get()).as(call).isPositive();
            assertThat(receiver.untrustedReason()).as(call).isEmpty();
            assertThat(failedDisks).as(call).isEmpty();
        }
    }

    @Test
    void a_node_starts_on_an_interrupted_thread_which_stays_interrupted() throws Exception {
        DirectoryStore others = TestTables.store(temp.resolve("other"), 1, 0);
        Node node = TestTables.node("other");
        Thread.currentThread().interrupt();

        try (StreamingNode other = StreamingNode.start(
                node, StreamOptions.builder().build(), InterceptedStore.of(others, call -> called("other " + call)))) {
            assertThat(Thread.interrupted()).isTrue();
            assertThat(other.untrustedReason()).isEmpty();
        }
        assertThat(failedDisks).isEmpty();
    }
}
