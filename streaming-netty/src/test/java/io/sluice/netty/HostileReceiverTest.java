package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A receiver that knows the protocol and lies, to one live source: whatever it says, its session ends, the source stays
 * within its bounds, and an honest receiver gets everything afterwards.
 */
@ExtendWith(LeakCheck.class)
class HostileReceiverTest {
    /** More than fits into the buffers of a socket. */
    private static final long TABLE_BYTES = 12 << 20;

    @TempDir
    Path temp;

    @TestFactory
    @Timeout(120)
    Stream<DynamicTest> a_lie_ends_the_session_and_nothing_else() throws Exception {
        return tests(
                64 << 10,
                ReceiverLies.rows().stream().filter(ReceiverLies.Row::isQuick).toList());
    }

    @TestFactory
    @Tag("full")
    @Timeout(600)
    Stream<DynamicTest> a_lie_without_end_ends() throws Exception {
        return tests(
                TABLE_BYTES,
                ReceiverLies.rows().stream().filter(row -> !row.isQuick()).toList());
    }

    @TestFactory
    @Timeout(120)
    Stream<DynamicTest> whatever_a_receiver_says() throws Exception {
        return generated(10);
    }

    @TestFactory
    @Tag("full")
    @Timeout(1200)
    Stream<DynamicTest> whatever_many_receivers_say() throws Exception {
        return generated(60);
    }

    @TestFactory
    @Tag("soak")
    @Timeout(1200)
    Stream<DynamicTest> whatever_very_many_receivers_say() throws Exception {
        return generated(200);
    }

    private Stream<DynamicTest> generated(int seeds) throws Exception {
        return tests(
                64 << 10,
                LongStream.range(0, seeds)
                        .mapToObj(seed -> new ReceiverLies.Row(
                                "seed " + seed,
                                true,
                                GeneratedLies.ofReceiver(
                                        seed, TestTables.table(0).id())))
                        .toList());
    }

    private Stream<DynamicTest> tests(long bytes, List<ReceiverLies.Row> rows) throws Exception {
        World world = new World(temp, bytes);
        return rows.stream()
                .map(row -> DynamicTest.dynamicTest(row.name(), () -> world.hear(row)))
                .onClose(world::close);
    }

    /** A live source, and an honest receiver. */
    static final class World {
        private final Path target;
        private final Node liveNode = TestTables.node("live");
        private final DirectoryStore liveStore;
        private final DirectoryStore targetStore;
        private final StreamingNode node;
        private final StreamingNode honest;
        private final LiveBounds bounds;
        private final String content;

        World(Path temp, long bytes) throws Exception {
            StreamOptions options = StreamOptions.builder()
                    .connectionsPerHost(1)
                    .retries(CutAnywhereTest.ONCE)
                    .deadlines(HostileSourceTest.SHORT)
                    .memoryBytes(LiveBounds.MEMORY_BYTES)
                    .set("violations_before_hold", "0") // or the third lie would be the last that is listened to
                    .build();
            Path source = temp.resolve("live");
            liveStore = TestTables.store(source, 1, bytes);
            target = temp.resolve("target");
            targetStore = TestTables.store(target, 1, 0);
            node = StreamingNode.start(liveNode, options, liveStore);
            honest = StreamingNode.start(TestTables.node("honest"), options, targetStore);
            content = HostileSourceTest.digest(source);
            for (int i = 0; i < 5; i++) { // what is made once is there before anything counts
                requireHonestPlan("none");
            }
            awaitQuiet("none");
            bounds = new LiveBounds(node, "live");
        }

        void hear(ReceiverLies.Row row) throws Exception {
            bounds.begin();
            try (HostileReceiver hostile = new HostileReceiver(liveNode)) {
                row.lie().tell(hostile);
                bounds.requireSmall(row.name());
            }
            requireHonestPlan(row.name());
            awaitQuiet(row.name());
            bounds.requireNothingLeft(row.name());
        }

        private void requireHonestPlan(String lie) throws Exception {
            PlanResult result = honest.execute(TestTables.plan(liveNode, 0)).get(30, SECONDS);
            assertThat(result.isComplete()).as("%s: %s", lie, result.tables()).isTrue();
            assertThat(HostileSourceTest.digest(target)).as(lie).isEqualTo(content);
            try (Stream<Path> files = Files.list(TestTables.folder(target, TestTables.table(0)))) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            targetStore.live.clear();
        }

        /** No session, and no pin. */
        private void awaitQuiet(String lie) {
            await().alias(lie + ": no session, and no pin").atMost(10, SECONDS).until(() -> !isBusy());
            liveStore.calls.clear();
        }

        private boolean isBusy() throws Exception {
            return !node.sending().get().isEmpty() || liveStore.pins.get() > 0;
        }

        void close() {
            bounds.close();
            honest.close();
            node.close();
        }
    }
}
