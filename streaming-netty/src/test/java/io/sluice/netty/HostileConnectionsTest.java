package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.netty.HostileConnections.Kind;
import io.sluice.netty.security.TestAuthority;
import io.sluice.streaming.Limit;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that never say who they are do not keep honest peers out. */
@Timeout(120)
@ExtendWith(LeakCheck.class)
class HostileConnectionsTest {
    /** More than twice as many as a node has room for. */
    private static final int HOSTILE = 300;

    private static final long TABLE_BYTES = 1 << 20;

    @TempDir
    Path temp;

    /** One attempt: to come again until an attack is over is no cure. */
    static StreamOptions.Builder options() {
        return StreamOptions.builder().retries(new RetryPolicy(1, 1, Duration.ofMillis(1), Duration.ofMillis(1)));
    }

    @ParameterizedTest
    @CsvSource({"SILENT, 4, false", "HALF_CLIENT_HELLO, 100, true"})
    void an_honest_plan_is_complete_beside_them(Kind kind, int addresses, boolean isEncrypted) throws Exception {
        assertCompleteBeside(kind, addresses, isEncrypted);
    }

    @Tag("full")
    @ParameterizedTest
    @CsvSource({
        "SILENT, 100, false",
        "DRIPPING, 100, false",
        "HALF_HELLO, 100, false",
        "GARBAGE, 100, false",
        "SILENT, 100, true",
        "HALF_CLIENT_HELLO, 4, true",
        "GARBAGE, 100, true"
    })
    void an_honest_plan_is_complete_beside_any_kind(Kind kind, int addresses, boolean isEncrypted) throws Exception {
        assertCompleteBeside(kind, addresses, isEncrypted);
    }

    private void assertCompleteBeside(Kind kind, int addresses, boolean isEncrypted) throws Exception {
        try (Pair pair = new Pair(isEncrypted, options());
                HostileConnections hostile =
                        new HostileConnections(pair.sourceNode.address(), HOSTILE, addresses, kind)) {
            await().alias("the attack").until(() -> hostile.made() >= HOSTILE);

            PlanResult result =
                    pair.receiver.execute(TestTables.plan(pair.sourceNode, 0)).get(20, SECONDS);

            assertThat(result.tables())
                    .as("beside %d made", hostile.made())
                    .allMatch(PlanResult.TableResult::installed);
            assertThat(hostile.failure()).isNull();
            assertThat(pair.sender.queues())
                    .filteredOn(queue -> queue.name().equals("handshakes"))
                    .allMatch(queue -> queue.used() <= queue.limit());
        }
    }

    /** A source and a receiver of one table. */
    private final class Pair implements AutoCloseable {
        final Node sourceNode = TestTables.node("source");
        final StreamingNode sender;
        final StreamingNode receiver;

        Pair(boolean isEncrypted, StreamOptions.Builder source) throws Exception {
            StreamOptions.Builder target = options();
            if (isEncrypted) {
                TestAuthority authority = new TestAuthority(temp.resolve("pki"), "authority");
                source.tls(authority.node("source", "127.0.0.1"));
                target.tls(authority.node("target", "127.0.0.1"));
            }
            sender = StreamingNode.start(
                    sourceNode, source.build(), TestTables.store(temp.resolve("source"), 1, TABLE_BYTES));
            receiver = StreamingNode.start(
                    TestTables.node("target"), target.build(), TestTables.store(temp.resolve("target"), 1, 0));
        }

        @Override
        public void close() {
            receiver.close();
            sender.close();
        }
    }

    /** Half as long again as undisturbed at most: the rate of both is that of the source, not of this busy machine. */
    @Tag("full")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_thousand_and_more_of_all_kinds_hardly_slow_an_honest_plan(boolean isEncrypted) throws Exception {
        long rate = TABLE_BYTES / 5;
        try (LogCapture production = new LogCapture(); // at DEBUG there is a line for each of some thousand a second
                Pair pair = new Pair(
                        isEncrypted, options().throughput(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, rate))) {
            Duration alone = fetch(pair);
            long heapBefore = usedHeap();
            try (HostileConnections hostile =
                    new HostileConnections(pair.sourceNode.address(), 2_000, 100, Kind.values())) {
                await().alias("the attack").until(() -> hostile.made() >= 2_000);
                Duration beside = fetch(pair);

                assertThat(beside)
                        .as("alone %s", alone)
                        .isLessThan(alone.multipliedBy(3).dividedBy(2));
                assertThat(usedHeap() - heapBefore).as("growth of the heap").isLessThan(32 << 20);
                assertThat(hostile.failure()).isNull();
                System.out.println("alone " + alone + ", beside " + hostile.made() + " hostile connections " + beside
                        + ", " + production.bytes() + " bytes of log");
            }
        }
    }

    private static long usedHeap() {
        System.gc(); // NOPMD: what is measured is what is held
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private Duration fetch(Pair pair) throws Exception {
        long begin = System.nanoTime();
        PlanResult result =
                pair.receiver.execute(TestTables.plan(pair.sourceNode, 0)).get(60, SECONDS);
        assertThat(result.tables()).allMatch(PlanResult.TableResult::installed);
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    @Tag("full")
    @Test
    void one_that_sends_a_byte_now_and_then_is_closed_after_ten_seconds_in_all() throws Exception {
        Node node = TestTables.node("node");
        try (StreamingNode started =
                        StreamingNode.start(node, options().build(), TestTables.store(temp.resolve("node"), 1, 0));
                HostileConnections hostile = new HostileConnections(node.address(), 1, 1, Kind.DRIPPING)) {
            await().alias("the second connection").until(() -> hostile.made() == 2);
            assertThat(started.queues()).isNotEmpty();
        }
    }
}
