package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import io.sluice.streaming.ring.Node;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Sessions come and go, a third of them cancelled at any time: the process is as before. */
@ExtendWith(LeakCheck.class)
@Tag("full")
class ManySessionsTest {
    private static final int AT_ONCE = 10;
    private static final int WARM_UP = 3 * AT_ONCE;
    private static final Duration SETTLES_WITHIN = Duration.ofSeconds(20);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);
    private static final int CONNECTIONS = 2;

    @TempDir
    Path temp;

    /** What must not grow. */
    private record Footprint(int descriptors, int threads, long directBytes, long heapBytes) {
        static Footprint now() {
            for (int i = 0; i < 3; i++) {
                System.gc(); // NOPMD: what is left is what counts
            }
            long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                    .filter(pool -> pool.getName().equals("direct"))
                    .mapToLong(BufferPoolMXBean::getMemoryUsed)
                    .sum();
            long netty = ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT)
                    .metric()
                    .usedDirectMemory();
            return new Footprint(
                    LeakCheck.descriptors().size(),
                    LeakCheck.lastingThreads().size(),
                    direct + netty,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
    }

    @Test
    @Timeout(120)
    void a_hundred_sessions_leave_nothing() throws Exception {
        run(100);
    }

    @Test
    @Tag("soak")
    @Timeout(900)
    void a_thousand_sessions_leave_nothing() throws Exception {
        run(1_000);
    }

    private void run(int sessions) throws Exception {
        Node source = TestTables.node("source");
        DirectoryStore store = TestTables.store(temp.resolve("source"), AT_ONCE, 64 << 10);
        DirectoryStore targetStore = TestTables.store(temp.resolve("target"), AT_ONCE, 0);
        StreamOptions options =
                StreamOptions.builder().connectionsPerHost(CONNECTIONS).build();
        Random random = new Random(57);
        try (StreamingNode sender = StreamingNode.start(source, options, store);
                StreamingNode receiver = StreamingNode.start(TestTables.node("target"), options, targetStore)) {
            int complete = batches(receiver, source, WARM_UP, random);
            awaitQuiet(sender, receiver, store, Integer.MAX_VALUE);
            Footprint before = Footprint.now();

            complete += batches(receiver, source, sessions, random);

            awaitQuiet(sender, receiver, store, before.descriptors());
            Footprint after = Footprint.now();
            System.out.println(sessions + " sessions, " + complete + " complete: " + before + " -> " + after);
            assertThat(after.descriptors()).isEqualTo(before.descriptors());
            assertThat(after.threads()).isEqualTo(before.threads());
            // A buffer for each connection that was open at once, which is more or less a matter of luck.
            assertThat(after.directBytes() - before.directBytes()).isLessThan((2L * AT_ONCE * CONNECTIONS) << 20);
            assertThat(after.heapBytes() - before.heapBytes())
                    .as("heap, with the results of all plans")
                    .isLessThan((4 << 20) + sessions * (4L << 10));
            assertThat(complete).isGreaterThan(sessions / 2);
            assertThat(targetStore.live).hasSize(2 * complete);
        }
    }

    /** Plans with one session each; every third is cancelled some time after it has begun. */
    private static int batches(StreamingNode receiver, Node source, int sessions, Random random) throws Exception {
        int complete = 0;
        for (int done = 0; done < sessions; done += AT_ONCE) {
            List<CompletableFuture<PlanResult>> results = new ArrayList<>();
            for (int table = 0; table < AT_ONCE; table++) {
                StreamPlan plan = TestTables.plan(source, table);
                results.add(receiver.execute(plan));
                if ((done + table) % 3 == 0) {
                    Thread.sleep(random.nextInt(8)); // at any time
                    receiver.cancel(plan.id(), "the test had enough");
                }
            }
            for (CompletableFuture<PlanResult> result : results) {
                if (result.get(60, SECONDS).isComplete()) {
                    complete++;
                }
            }
        }
        return complete;
    }

    private static void awaitQuiet(
            StreamingNode sender, StreamingNode receiver, DirectoryStore store, int mostDescriptors) {
        AtomicInteger before = new AtomicInteger(-1);
        await().atMost(SETTLES_WITHIN)
                .pollInterval(BETWEEN_LOOKS)
                .during(BETWEEN_LOOKS.multipliedBy(10)) // connections end two seconds after their session
                .untilAsserted(() -> {
                    int now = LeakCheck.descriptors().size();
                    assertThat(now)
                            .as("descriptors")
                            .isEqualTo(before.getAndSet(now))
                            .isLessThanOrEqualTo(mostDescriptors);
                    assertThat(used(sender)).as("queues of the source").isEmpty();
                    assertThat(used(receiver)).as("queues of the target").isEmpty();
                    assertThat(store.pins).hasValue(0);
                });
    }

    private static Map<String, Long> used(StreamingNode node) {
        Map<String, Long> used = new LinkedHashMap<>();
        for (QueueSample queue : node.queues()) {
            if (queue.used() > 0) {
                used.put(queue.name(), queue.used());
            }
        }
        return used;
    }
}
