package io.sluice.harness.load;

import io.sluice.harness.load.LoadTable.Write;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes at a rate until it is stopped: nine new keys, then one again that was written before. Thread-safe; owns its
 * thread, which the caller ends by {@link #stop()}.
 */
public final class LoadGenerator {
    private static final Logger LOG = LoggerFactory.getLogger(LoadGenerator.class);
    private static final long TICK_MILLIS = 20;
    private static final int MAX_BATCH = 1000;
    private static final int AGAIN_ONE_IN = 10;
    private static final int VALUE_LENGTH = 64;
    private static final int EDGE_CANDIDATES = 200_000;
    private static final int HINT_ROUNDS = 50;
    private static final long HINT_PAUSE_MILLIS = 200;

    private final Coordinator coordinator;
    private final int writesPerSecond;
    private final Path file;
    private final InstantSource clock;
    private final SplittableRandom random = new SplittableRandom(1);
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong acknowledged = new AtomicLong();
    private final Thread thread = new Thread(this::run, "sluice-load");
    private volatile boolean isStopped;
    private volatile @Nullable Exception failure;
    private volatile long longestNanos;
    private long number;
    private long lastMicros;

    /**
     * How much was written.
     *
     * @param longestMillis from sending a batch to the last answer to it
     */
    public record Summary(int writesPerSecond, long sent, long acknowledged, int hints, long longestMillis) {}

    /** @param file of acknowledged writes; is begun anew */
    public LoadGenerator(Coordinator coordinator, int writesPerSecond, Path file, InstantSource clock) {
        this.coordinator = coordinator;
        this.writesPerSecond = writesPerSecond;
        this.file = file;
        this.clock = clock;
        thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    private void run() {
        long began = System.nanoTime();
        try (Acknowledged log = Acknowledged.create(file)) {
            writeFirst(log);
            while (!isStopped) {
                double elapsed = (System.nanoTime() - began) / (double) TimeUnit.SECONDS.toNanos(1);
                long due = (long) (elapsed * writesPerSecond) - sent.get();
                if (due > 0) {
                    writeBatch((int) Math.min(due, MAX_BATCH), log);
                } else {
                    Thread.sleep(TICK_MILLIS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            LOG.error("the load ends", e);
            failure = e;
        }
    }

    /**
     * Two keys with hardly a token outside of them. Whole SSTables move only as long as they cross no end of a range
     * that was planned before they were flushed; with these, every SSTable set spans the same tokens from the start.
     */
    private void writeFirst(Acknowledged log) throws InterruptedException, IOException {
        Comparator<Write> byToken =
                Comparator.comparing(write -> write.partitionKey().token());
        List<Write> candidates = LongStream.range(0, EDGE_CANDIDATES)
                .mapToObj(i -> new Write("edge-" + i, TimeUnit.MILLISECONDS.toMicros(clock.millis()), "edge"))
                .toList();
        log.add(coordinator.write(List.of(Collections.min(candidates, byToken), Collections.max(candidates, byToken))));
    }

    private void writeBatch(int size, Acknowledged log) throws InterruptedException, IOException {
        List<Write> batch = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            batch.add(next());
        }
        long began = System.nanoTime();
        List<Write> taken = coordinator.write(batch);
        longestNanos = Math.max(longestNanos, System.nanoTime() - began);
        log.add(taken);
        sent.addAndGet(size);
        acknowledged.addAndGet(taken.size());
    }

    private Write next() {
        number++;
        // Timestamps decide which write wins, so no two may be equal.
        lastMicros = Math.max(lastMicros + 1, TimeUnit.MILLISECONDS.toMicros(clock.millis()));
        long key = number % AGAIN_ONE_IN == 0 ? random.nextLong(number) : number;
        StringBuilder value = new StringBuilder(number + " ");
        while (value.length() < VALUE_LENGTH) {
            value.append(Long.toString(random.nextLong() & Long.MAX_VALUE, 36));
        }
        return new Write("load-" + key, lastMicros, value.substring(0, VALUE_LENGTH));
    }

    /** Ends the writes, whatever became of them. */
    public void abandon() {
        isStopped = true;
        thread.interrupt();
    }

    /** Whether it neither was stopped nor has failed. */
    public boolean isRunning() {
        return thread.isAlive();
    }

    /** Writes acknowledged until now. */
    public long acknowledged() {
        return acknowledged.get();
    }

    /**
     * Ends the writes, and delivers what replicas have missed.
     *
     * @throws IOException if the load ended by itself, or a replica still does not take its hints
     */
    public Summary stop() throws IOException, InterruptedException {
        isStopped = true;
        thread.join();
        Exception failed = failure;
        if (failed != null) {
            throw new IOException("the load ended early: " + failed.getMessage(), failed);
        }
        int hints = coordinator.hintCount();
        for (int round = 0; coordinator.hintCount() > 0 && round < HINT_ROUNDS; round++) {
            coordinator.deliverHints();
            if (coordinator.hintCount() > 0) {
                Thread.sleep(HINT_PAUSE_MILLIS);
            }
        }
        if (coordinator.hintCount() > 0) {
            throw new IOException(coordinator.hintCount()
                    + " writes are not taken by a replica that is up (look into the logs of the nodes)");
        }
        return new Summary(
                writesPerSecond, sent.get(), acknowledged.get(), hints, TimeUnit.NANOSECONDS.toMillis(longestNanos));
    }
}
