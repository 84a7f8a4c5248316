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
 * A client that writes at a rate until it is stopped: mostly new keys, then one again that was written before, or a
 * deletion. What was not acknowledged is sent again until it is. Thread-safe; owns its thread, which the caller ends by
 * {@link #stop()}.
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

    /** Held by who writes, from sending a batch to its lines in the file. */
    private final Object turn = new Object();

    @GuardedBy("turn")
    private final List<Write> refused = new ArrayList<>();

    @GuardedBy("turn")
    private long number;

    @GuardedBy("turn")
    private long lastMicros;

    /**
     * What is written.
     *
     * @param writesPerSecond 0 for only what the caller writes
     * @param valueLength characters of a value
     * @param deletionOneIn of so many writes one deletes a key; 0 for none
     */
    public record Mix(int writesPerSecond, int valueLength, int deletionOneIn) {
        private static final int VALUE_LENGTH = 64;

        /** Short values, no deletions. */
        public static Mix of(int writesPerSecond) {
            return new Mix(writesPerSecond, VALUE_LENGTH, 0);
        }
    }

    /**
     * How much was written.
     *
     * @param longestMillis from sending a batch to the last answer to it
     */
    public record Summary(int writesPerSecond, long sent, long acknowledged, int hints, long longestMillis) {}

    /** Something that is done while nobody writes. */
    @FunctionalInterface
    public interface Step {
        void run() throws IOException, InterruptedException;
    }

    /** @param file of acknowledged writes; is begun anew */
    public LoadGenerator(Coordinator coordinator, Mix mix, Path file, InstantSource clock) {
        this.coordinator = coordinator;
        this.mix = mix;
        this.file = file;
        this.clock = clock;
        thread.setDaemon(true);
    }

    /** Begins the file, and to write. */
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
            LOG.error("the load ends", e);
            failure = e;
        }
    }

    /**
     * Two keys with hardly a token outside of them. Whole SSTables move only as long as they cross no end of a range
     * that was planned before they were flushed; with these, every SSTable set spans the same tokens from the start.
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

    /** Also what was refused before; how many of the batch were acknowledged at once. */
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

    /** Timestamps decide which write wins, so no two may be equal. */
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
     * Writes keys of its own, from {@code first} up to but without {@code last}, and waits until all are acknowledged.
     */
    public void insert(long first, long last) throws IOException, InterruptedException {
        put(first, last, false);
    }

    /** Deletes what {@link #insert} has written, and waits until all is acknowledged. */
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

    /** Writes nothing from now on, until {@link #release}; what is on its way has an answer when this returns. */
    public void hold() {
        isHeld = true;
        synchronized (turn) {
            LOG.debug("writes to {} are held", file);
        }
    }

    /** The table was emptied: nothing that was written before counts any more. Only while held. */
    public void forget() throws IOException {
        synchronized (turn) {
            if (!isHeld) {
                throw new IllegalStateException("writes go on (expected: hold() first)");
            }
            refused.clear();
            coordinator.dropHints();
            Acknowledged.create(file).close();
        }
    }

    /** Writes again. */
    public void release() {
        isHeld = false;
    }

    /** Ends the writes when the last one has an answer; what replicas have missed they lack. */
    public void end() throws InterruptedException {
        isStopped = true;
        thread.join();
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

    /** Writes acknowledged until now, at once. */
    public long acknowledged() {
        return acknowledged.get();
    }

    /**
     * Has all writes acknowledged, and delivers what replicas have missed; all of them are up.
     *
     * @throws IOException if a replica still does not take what it is sent
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
            throw new IOException(coordinator.hintCount() + " writes are not taken by a replica that is up, "
                    + refused.size() + " were never acknowledged (look into the logs of the nodes)");
        }
    }

    @GuardedBy("turn")
    private boolean isSettled() {
        return coordinator.hintCount() == 0 && refused.isEmpty();
    }

    /**
     * Ends the writes, has all of them acknowledged, and delivers what replicas have missed.
     *
     * @throws IOException if the load ended by itself, or a replica still does not take what it is sent
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
