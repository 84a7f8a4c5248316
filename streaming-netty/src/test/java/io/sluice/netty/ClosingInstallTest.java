package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A node is closed while its database has a completely received table. */
@Timeout(90)
@ExtendWith(LeakCheck.class)
class ClosingInstallTest {
    @TempDir
    Path temp;

    private Node source;
    private final CountDownLatch answering = new CountDownLatch(1);
    private final List<AuditEvent> events = new CopyOnWriteArrayList<>();
    private StreamingNode sender;
    private DirectoryStore store;

    @BeforeEach
    void start_a_source() throws IOException {
        source = TestTables.node("source");
        sender = StreamingNode.start(
                source, StreamOptions.builder().build(), TestTables.store(temp.resolve("source"), 1, 1 << 20));
        store = TestTables.store(temp.resolve("target"), 1, 0);
    }

    @AfterEach
    void end() {
        answering.countDown();
        sender.close();
    }

    private void waitForAnswer() {
        try {
            answering.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Closes a node that waits in this call of its database, which answers as soon as something has happened. */
    private PlanResult closeDuring(String call, BooleanSupplier happened) throws Exception {
        StreamingNode receiver = StreamingNode.start(
                TestTables.node("target"),
                StreamOptions.builder().audit(events::add).build(),
                store);
        CompletableFuture<PlanResult> running = receiver.execute(TestTables.plan(source, 0));
        await().until(() -> store.calls.contains(call));
        Thread closing = new Thread(receiver::close);
        closing.start();
        await().until(happened::getAsBoolean);
        answering.countDown();
        closing.join();
        return running.get(20, SECONDS);
    }

    private boolean isCancelled() {
        return events.stream().anyMatch(AuditEvent.Cancelled.class::isInstance);
    }

    /** As a database that ends those who wait for it. */
    private void refusePermit() {
        store.onCall = call -> {
            if (call.startsWith("permit ")) {
                waitForAnswer();
                throw new IllegalStateException("the database shuts down");
            }
        };
    }

    private void assertNothingIsFetchedAgain(PlanResult ended) throws Exception {
        assertThat(ended.isComplete()).isFalse();
        assertThat(store.live).isEmpty();
        try (StreamingNode again = StreamingNode.start(
                TestTables.node("target"),
                StreamOptions.builder().build(),
                TestTables.store(temp.resolve("target"), 1, 0))) {
            PlanResult result = again.execute(TestTables.plan(source, 0)).get(40, SECONDS);

            assertThat(result.isComplete()).isTrue();
            assertThat(again.counters().bytesReceived())
                    .isLessThan(result.tables().get(0).bytes() / 8);
        }
    }

    @Test
    void a_table_that_the_database_refuses_while_it_ends_is_not_fetched_again() throws Exception {
        refusePermit();

        PlanResult ended = closeDuring("permit t0", this::isCancelled);

        assertNothingIsFetchedAgain(ended);
    }

    @Test
    void a_table_that_the_database_refuses_after_the_plan_has_ended_is_not_fetched_again() throws Exception {
        refusePermit();
        PlanResult ended;
        try (LogCapture log = new LogCapture()) {
            ended = closeDuring(
                    "permit t0", () -> !log.with("by InstallOverdue").isEmpty());
        }

        assertNothingIsFetchedAgain(ended);
    }

    @Test
    void a_plan_whose_last_table_goes_live_while_the_node_closes_is_complete() throws Exception {
        store.answer = table -> waitForAnswer();

        PlanResult result = closeDuring("activate t0", this::isCancelled);

        assertThat(result.isComplete()).isTrue();
        assertThat(result.failure()).isEmpty();
        assertThat(store.live).isNotEmpty();
        assertThat(events)
                .filteredOn(AuditEvent.PlanEnded.class::isInstance)
                .asString()
                .doesNotContain(ErrorCode.CANCELLED.name());
    }
}
