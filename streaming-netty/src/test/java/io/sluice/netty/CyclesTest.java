package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plans come and go in one process for a quarter of an hour, a third of them cancelled at any time: descriptors,
 * threads and memory stay as they are. Prints each of them, and its slope.
 */
@ExtendWith(LeakCheck.class)
@Tag("soak")
class CyclesTest {
    private static final int AT_ONCE = 10;
    /** A node remembers the latest thousand results; until it has them its heap grows, as it should. */
    private static final int WARM_UP = 1_200;

    private static final long MINUTES_LONG = Long.getLong("sluice.cycles.minutes", 15);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);
    private static final long SAMPLE_NANOS = SECONDS.toNanos(20);

    @TempDir
    Path temp;

    private long plans;

    private record Sample(double minutes, long plans, int descriptors, int threads, long directBytes, long heapBytes) {}

    @Test
    @Timeout(3_600)
    void a_quarter_of_an_hour_of_plans_leaves_nothing() throws Exception {
        Node source = TestTables.node("source");
        DirectoryStore store = TestTables.store(temp.resolve("source"), AT_ONCE, 64 << 10);
        DirectoryStore targetStore = TestTables.store(temp.resolve("target"), AT_ONCE, 0);
        StreamOptions options = StreamOptions.builder().connectionsPerHost(2).build();
        List<Sample> samples = new ArrayList<>();
        Random random = new Random(15);
        try (StreamingNode sender = StreamingNode.start(source, options, store);
                StreamingNode receiver = StreamingNode.start(TestTables.node("target"), options, targetStore)) {
            while (plans < WARM_UP) {
                cycle(receiver, source, random, store, targetStore);
            }
            long start = System.nanoTime();
            while (System.nanoTime() - start < MINUTES.toNanos(MINUTES_LONG)) {
                long next = System.nanoTime() + SAMPLE_NANOS;
                while (System.nanoTime() < next) {
                    cycle(receiver, source, random, store, targetStore);
                }
                awaitQuiet(sender, receiver);
                samples.add(sample(start));
                System.out.println(samples.get(samples.size() - 1));
            }
        }
        double descriptors = slope("descriptors", samples, Sample::descriptors);
        double threads = slope("threads", samples, Sample::threads);
        double direct = slope("direct bytes", samples, Sample::directBytes);
        double heap = slope("heap bytes", samples, Sample::heapBytes);
        System.out.println(plans + " plans");
        assertThat(descriptors).as("descriptors a minute").isLessThan(0.2);
        assertThat(threads).as("threads a minute").isLessThan(0.2);
        assertThat(direct).as("direct bytes a minute").isLessThan(64 << 10);
        assertThat(heap).as("heap bytes a minute").isLessThan(128 << 10);
    }

    /** Plans with one session each; every third is cancelled some time after it has begun. */
    private void cycle(
            StreamingNode receiver, Node source, Random random, DirectoryStore store, DirectoryStore targetStore)
            throws Exception {
        List<CompletableFuture<PlanResult>> results = new ArrayList<>();
        for (int table = 0; table < AT_ONCE; table++) {
            StreamPlan plan = TestTables.plan(source, table);
            results.add(receiver.execute(plan));
            if (++plans % 3 == 0) {
                Thread.sleep(random.nextInt(8)); // at any time
                receiver.cancel(plan.id(), "the test had enough");
            }
        }
        for (CompletableFuture<PlanResult> result : results) {
            result.get(60, SECONDS);
        }
        for (int table = 0; table < AT_ONCE; table++) {
            removeFiles(TestTables.folder(temp.resolve("target"), TestTables.table(table)));
        }
        store.calls.clear();
        targetStore.calls.clear();
        synchronized (targetStore.live) {
            targetStore.live.clear();
        }
    }

    private static void removeFiles(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Connections end two seconds after their session. */
    private static void awaitQuiet(StreamingNode sender, StreamingNode receiver) {
        AtomicInteger before = new AtomicInteger(-1);
        await().pollInterval(BETWEEN_LOOKS)
                .during(BETWEEN_LOOKS.multipliedBy(10))
                .until(() -> {
                    int now = LeakCheck.descriptors().size();
                    return before.getAndSet(now) == now
                            && Stream.concat(sender.queues().stream(), receiver.queues().stream())
                                    .allMatch(queue -> queue.used() == 0);
                });
    }

    private Sample sample(long startNanos) {
        for (int i = 0; i < 3; i++) {
            System.gc(); // NOPMD: what is left is what counts
        }
        return new Sample(
                (System.nanoTime() - startNanos) / 60e9,
                plans,
                LeakCheck.descriptors().size(),
                LeakCheck.lastingThreads().size(),
                ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT)
                        .metric()
                        .usedDirectMemory(),
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }

    /** What the samples grow by in a minute: the straight line through them that fits best. */
    private static double slope(String what, List<Sample> samples, ToDoubleFunction<Sample> value) {
        double meanX = samples.stream().mapToDouble(Sample::minutes).average().orElseThrow();
        double meanY = samples.stream().mapToDouble(value).average().orElseThrow();
        double above = 0;
        double below = 0;
        for (Sample sample : samples) {
            above += (sample.minutes() - meanX) * (value.applyAsDouble(sample) - meanY);
            below += (sample.minutes() - meanX) * (sample.minutes() - meanX);
        }
        double slope = above / below;
        System.out.printf(
                Locale.ROOT,
                "%s: first %.0f, last %.0f, mean %.0f, slope %+.3f a minute%n",
                what,
                value.applyAsDouble(samples.get(0)),
                value.applyAsDouble(samples.get(samples.size() - 1)),
                meanY,
                slope);
        return slope;
    }
}
