package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.core.ThrowingRunnable;
import org.slf4j.LoggerFactory;

/**
 * What one false message may cost the node that receives it: heap, memory outside of it, descriptors, threads, CPU and
 * log. Confined to the thread of the test, but for the log, which anybody writes.
 */
final class LiveBounds implements AutoCloseable {
    /** What all peers together may have a node hold, by its setting, which is what it promises. */
    static final int MEMORY_BYTES = 64 << 20;

    private static final long MAX_HEAP_BYTES = 24L << 20;
    /** The longest lies open a hundred sessions. */
    private static final int MAX_LOG_LINES = 300;

    private static final int MAX_LOG_BYTES = 100 << 10;
    private static final long MAX_CPU_NANOS = 5_000_000_000L;
    private static final Duration SETTLES_WITHIN = Duration.ofSeconds(10);

    private final StreamingNode node;
    private final String threads;
    private final Log log = new Log();
    private final Level levelBefore = ours().getLevel();
    private final long heapBytes;
    private final long directBytes;
    private final int descriptors;
    private final int threadCount;
    private int lies = -1; // before the first one
    private long cpuNanos;
    private long linesBefore;
    private long bytesBefore;

    /** Counts what is written, stack traces included. */
    private static final class Log extends AppenderBase<ILoggingEvent> {
        final AtomicLong lines = new AtomicLong();
        final AtomicLong bytes = new AtomicLong();

        @Override
        protected void append(ILoggingEvent event) {
            String trace =
                    event.getThrowableProxy() == null ? "" : ThrowableProxyUtil.asString(event.getThrowableProxy());
            lines.incrementAndGet();
            bytes.addAndGet(event.getFormattedMessage().length() + trace.length());
        }
    }

    /** @param name of the node, which begins the names of its threads */
    LiveBounds(StreamingNode node, String name) {
        this.node = node;
        this.threads = "sluice-" + name;
        log.start();
        ours().setLevel(Level.INFO); // as operators have it: at DEBUG a peer has every line written
        ours().addAppender(log);
        this.heapBytes = usedHeap();
        this.directBytes = usedDirect();
        this.descriptors = LeakCheck.descriptors().size();
        this.threadCount = count();
        begin();
    }

    private static Logger ours() {
        return (Logger) LoggerFactory.getLogger("io.sluice");
    }

    /** From now on it counts for the next lie. */
    void begin() {
        lies++;
        cpuNanos = cpu();
        linesBefore = log.lines.get();
        bytesBefore = log.bytes.get();
    }

    /** While a false message is sent: what it holds of memory now. */
    void requireSmall(String lie) {
        assertThat(usedDirect() - directBytes)
                .as("direct, while it lies: %s", lie)
                .isLessThan(MEMORY_BYTES); // the pool reserves megabytes at once, more of them when threads wait
        if (used() - heapBytes < MAX_HEAP_BYTES) {
            return; // garbage included
        }
        assertThat(usedHeap() - heapBytes).as("heap, while it lies: %s", lie).isLessThan(MAX_HEAP_BYTES);
    }

    /** When a lie is over: nothing is left of it, and it has cost little. */
    void requireNothingLeft(String lie) {
        settles(() -> assertThat(queues()).as("queues: %s", lie).isEmpty());
        settles(() ->
                assertThat(LeakCheck.descriptors()).as("descriptors: %s", lie).hasSizeLessThanOrEqualTo(descriptors));
        settles(() -> assertThat(count()).as("threads: %s", lie).isLessThanOrEqualTo(threadCount));
        requireSmall(lie);
        assertThat(cpu() - cpuNanos).as("nanoseconds of CPU: %s", lie).isLessThan(MAX_CPU_NANOS);
        assertThat(log.lines.get() - linesBefore).as("lines of log: %s", lie).isLessThan(MAX_LOG_LINES);
        assertThat(log.bytes.get() - bytesBefore).as("bytes of log: %s", lie).isLessThan(MAX_LOG_BYTES);
    }

    private List<QueueSample> queues() {
        return node.queues().stream().filter(queue -> queue.used() > 0).toList();
    }

    private int count() {
        return (int) LeakCheck.lastingThreads().stream()
                .filter(name -> name.startsWith(threads))
                .count();
    }

    private long cpu() {
        ThreadMXBean all = ManagementFactory.getThreadMXBean();
        return Arrays.stream(all.getThreadInfo(all.getAllThreadIds()))
                .filter(thread -> thread != null && thread.getThreadName().startsWith(threads))
                .mapToLong(thread -> Math.max(0, all.getThreadCpuTime(thread.getThreadId())))
                .sum();
    }

    private static long usedHeap() {
        System.gc(); // NOPMD: what is left is what counts
        return used();
    }

    private static long used() {
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static long usedDirect() {
        return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT)
                .metric()
                .usedDirectMemory();
    }

    private static void settles(ThrowingRunnable expected) {
        await().atMost(SETTLES_WITHIN).untilAsserted(expected);
    }

    @Override
    public void close() {
        ours().setLevel(levelBefore);
        ours().detachAppender(log);
        log.stop();
        System.out.println("log of " + lies + " lies: " + log.lines.get() + " lines, " + log.bytes.get() + " bytes");
    }
}
