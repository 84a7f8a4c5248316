package io.sluice.harness.load;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.harness.load.LoadTable.Write;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client that writes at a rate until it is stopped: mostly new keys, sometimes an earlier key, or a deletion. It
 * repeats writes until they are acknowledged. Thread-safe; owns its thread, which the caller ends by {@link #stop()}.
 */
public final class LoadGenerator {
    private static final Logger LOG = LoggerFactory.getLogger(LoadGenerator.class);
    private static final long TICK_MILLIS = 20;
    private static final int MAX_BATCH = 1000;
    private static final long MAX_BATCH_BYTES = 256 << 10;
    private static final int AGAIN_ONE_IN = 10;
    private static final int EDGE_CANDIDATES = 200_000;
    private static final int FINAL_ROUNDS = 50;
    private static final long PAUSE_MILLIS = 200;

    private final Coordinator coordinator;
    private final Mix mix;
    private final Path file;
    private final InstantSource clock;
    private final SplittableRandom random = new SplittableRandom(1);
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong acknowledged = new AtomicLong();
    private final Thread thread = new Thread(this::run, "sluice-load");
    private volatile boolean isStopped;
    private volatile boolean isHeld;
    private volatile @Nullable Exception failure;
    private volatile long longestNanos;

    /** Held by the writing thread from sending a batch until its lines are in the file. */
    private final Object turn = new Object();

    @GuardedBy("turn")
    private final List<Write> refused = new ArrayList<>();

    @GuardedBy("turn")
    private long number;

    @GuardedBy("turn")
    private long lastMicros;

    /**
     * What to write.
     *
     * @param writesPerSecond 0 for only what the caller writes
     * @param valueLength characters of a value
     * @param deletionOneIn one in so many writes deletes a key; 0 for none
     */
    public record Mix(int writesPerSecond, int valueLength, int deletionOneIn) {
        private static final int VALUE_LENGTH = 64;

        /** Short values, no deletions. */
        public static Mix of(int writesPerSecond) {
            return new Mix(writesPerSecond, VALUE_LENGTH, 0);
        }
    }

    /**
     * Totals of the writes.
     *
     * @param longestMillis from sending a batch to the last answer to it
     */
    public record Summary(int writesPerSecond, long sent, long acknowledged, int hints, long longestMillis) {}

    /** An action during which nobody writes. */
    @FunctionalInterface
    public interface Step {
        void run() throws IOException, InterruptedException;
    }

    /** @param file of acknowledged writes; replaced */
    public LoadGenerator(Coordinator coordinator, Mix mix, Path file, InstantSource clock) {
        this.coordinator = coordinator;
        this.mix = mix;
        this.file = file;
        this.clock = clock;
        thread.setDaemon(true);
    }

    /** Creates the file and starts to write. */
    public void start() throws IOException {
        Acknowledged.create(file).close();
        if (mix.writesPerSecond() > 0) {
            thread.start();
        }
    }

    private void run() {
        long began = System.nanoTime();
        try {
            writeFirst();
            while (!isStopped) {
                double elapsed = (System.nanoTime() - began) / (double) TimeUnit.SECONDS.toNanos(1);
                long due = (long) (elapsed * mix.writesPerSecond()) - sent.get();
                if (due > 0 && !isHeld) {
                    writeNext((int) Math.min(due, MAX_BATCH));
                } else {
                    Thread.sleep(TICK_MILLIS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            LOG.error("the load failed", e);
            failure = e;
        }
    }

    /**
     * Writes two keys that span nearly all tokens. An SSTable moves whole only if it crosses no end of a range that was
     * planned before it was flushed; with these keys, every set of SSTables spans the same tokens from the start.
     */
    private void writeFirst() throws InterruptedException, IOException {
        Comparator<Write> byToken =
                Comparator.comparing(write -> write.partitionKey().token());
        List<Write> candidates = LongStream.range(0, EDGE_CANDIDATES)
                .mapToObj(i -> new Write("edge-" + i, TimeUnit.MILLISECONDS.toMicros(clock.millis()), "edge"))
                .toList();
        synchronized (turn) {
            writeBatch(List.of(Collections.min(candidates, byToken), Collections.max(candidates, byToken)));
        }
    }

    private void writeNext(int most) throws InterruptedException, IOException {
        synchronized (turn) {
            if (isHeld) {
                return;
            }
            List<Write> batch = new ArrayList<>();
            for (int i = 0; i < most; i++) {
                batch.add(next());
            }
            sent.addAndGet(most);
            acknowledged.addAndGet(writeBatch(batch));
        }
    }

    /**
     * Also retries what was not acknowledged before; returns how many writes of the batch were acknowledged at once.
     */
    @GuardedBy("turn")
    private int writeBatch(List<Write> batch) throws InterruptedException, IOException {
        List<Write> again = refused.subList(0, Math.min(refused.size(), MAX_BATCH));
        List<Write> all = new ArrayList<>(again);
        all.addAll(batch);
        long began = System.nanoTime();
        List<Write> taken = coordinator.write(all);
        longestNanos = Math.max(longestNanos, System.nanoTime() - began);
        try (Acknowledged log = Acknowledged.append(file)) {
            log.add(taken);
        }
        again.clear();
        Set<Write> left = new LinkedHashSet<>(all);
        taken.forEach(left::remove);
        refused.addAll(left);
        return (int) batch.stream().filter(write -> !left.contains(write)).count();
    }

    @GuardedBy("turn")
    private Write next() {
        number++;
        long key = number % AGAIN_ONE_IN == 0 ? random.nextLong(number) : number;
        boolean isDeletion = mix.deletionOneIn() > 0 && number % mix.deletionOneIn() == 0;
        return isDeletion
                ? new Write(key("load", random.nextLong(number)), nextMicros(), Optional.empty())
                : new Write(key("load", key), nextMicros(), value(number));
    }

    private static String key(String prefix, long number) {
        return prefix + "-" + number;
    }

    /** Timestamps decide which write wins, so they must be unique. */
    @GuardedBy("turn")
    private long nextMicros() {
        lastMicros = Math.max(lastMicros + 1, TimeUnit.MILLISECONDS.toMicros(clock.millis()));
        return lastMicros;
    }

    @GuardedBy("turn")
    private String value(long number) {
        StringBuilder value = new StringBuilder(number + " ");
        while (value.length() < mix.valueLength()) {
            value.append(Long.toString(random.nextLong() & Long.MAX_VALUE, 36));
        }
        return value.substring(0, mix.valueLength());
    }

    /**
     * Writes keys in its own key space, from {@code first} to {@code last} exclusive, and waits until all are
     * acknowledged.
     */
    public void insert(long first, long last) throws IOException, InterruptedException {
        put(first, last, false);
    }

    /** Deletes what {@link #insert} wrote, and waits until all deletions are acknowledged. */
    public void delete(long first, long last) throws IOException, InterruptedException {
        put(first, last, true);
    }

    private void put(long first, long last, boolean isDeletion) throws IOException, InterruptedException {
        int most = (int) Math.max(1, Math.min(MAX_BATCH, MAX_BATCH_BYTES / mix.valueLength()));
        for (long from = first; from < last; from += most) {
            synchronized (turn) {
                List<Write> batch = new ArrayList<>();
                for (long key = from; key < Math.min(last, from + most); key++) {
                    batch.add(
                            isDeletion
                                    ? new Write(key("own", key), nextMicros(), Optional.empty())
                                    : new Write(key("own", key), nextMicros(), value(key)));
                }
                sent.addAndGet(batch.size());
                acknowledged.addAndGet(writeBatch(batch));
                settle();
            }
        }
    }

    /** Pauses writes until {@link #release}; when this returns, no write is in flight. */
    public void hold() {
        isHeld = true;
        synchronized (turn) {
            LOG.debug("writes to {} are held", file);
        }
    }

    /** Forgets all earlier writes, because the table was truncated. Only while held. */
    public void forget() throws IOException {
        synchronized (turn) {
            if (!isHeld) {
                throw new IllegalStateException("the load is not held (expected: hold() first)");
            }
            refused.clear();
            coordinator.dropHints();
            Acknowledged.create(file).close();
        }
    }

    /** Resumes writes. */
    public void release() {
        isHeld = false;
    }

    /** Stops the writes after the last answer; hints are not delivered. */
    public void end() throws InterruptedException {
        isStopped = true;
        thread.join();
    }

    /** Stops the writes without waiting for answers. */
    public void abandon() {
        isStopped = true;
        thread.interrupt();
    }

    /** Whether it is neither stopped nor failed. */
    public boolean isRunning() {
        return thread.isAlive();
    }

    /** Writes that were sent and are not acknowledged: any replica may have them, or not. */
    public List<Write> unacknowledged() {
        synchronized (turn) {
            return List.copyOf(refused);
        }
    }

    /** Number of writes acknowledged so far, at the first attempt. */
    public long acknowledged() {
        return acknowledged.get();
    }

    /**
     * Waits until all writes are acknowledged and delivers all hints; requires that all replicas are up.
     *
     * @throws IOException if a replica still does not accept them
     */
    public void settleAll() throws IOException, InterruptedException {
        synchronized (turn) {
            settle();
        }
    }

    @GuardedBy("turn")
    private void settle() throws IOException, InterruptedException {
        for (int round = 0; round < FINAL_ROUNDS && !isSettled(); round++) {
            writeBatch(List.of());
            coordinator.deliverHints();
            if (!isSettled()) {
                Thread.sleep(PAUSE_MILLIS);
            }
        }
        if (!isSettled()) {
            throw new IOException(coordinator.hintCount() + " writes were not accepted by a live replica, "
                    + refused.size() + " were never acknowledged (see the logs of the nodes)");
        }
    }

    @GuardedBy("turn")
    private boolean isSettled() {
        return coordinator.hintCount() == 0 && refused.isEmpty();
    }

    /**
     * Stops the writes, waits until all are acknowledged, and delivers all hints.
     *
     * @throws IOException if the load ended by itself, or a replica still does not accept writes
     */
    public Summary stop() throws IOException, InterruptedException {
        end();
        Exception failed = failure;
        if (failed != null) {
            throw new IOException("the load ended early: " + failed.getMessage(), failed);
        }
        int hints = coordinator.hintCount();
        settleAll();
        return new Summary(
                mix.writesPerSecond(),
                sent.get(),
                acknowledged.get(),
                hints,
                TimeUnit.NANOSECONDS.toMillis(longestNanos));
    }
}
