package io.sluice.bench.transfer;

import io.sluice.harness.load.LoadTable;
import io.sluice.harness.store.LocalStore;
import io.sluice.harness.store.TableView;
import io.sluice.netty.receive.Pause;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.merge.MergedPartitions;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * A client of a store that reads partitions and writes rows, each when it is due, whatever becomes of those before.
 * Reads and writes have a thread each. Not thread-safe.
 */
final class StoreClient implements AutoCloseable {
    private static final Arrivals READS = new Arrivals(100, 500);
    private static final Arrivals WRITES = new Arrivals(100, 500);
    /** Few, so that each is read every few seconds: some kernels page out what is not, and then a disk is measured. */
    private static final int MOST_KEYS = 1_000;

    private static final int VALUE_CHARACTERS = 200;
    private static final long LONGEST_WRITE_SECONDS = 60;

    private final LocalStore store;
    private final UUID read;
    private final LoadTable written;
    private final List<PartitionKey> keys;
    private final SplittableRandom random = new SplittableRandom(1);
    private final ExecutorService writer = Executors.newSingleThreadExecutor(task -> new Thread(task, "writes"));
    private long writes;

    /** What it has seen of reads and of writes, in the order in which they were due. */
    record Seen(List<Request> reads, List<Request> writes) {}

    /**
     * Reads some keys of {@code read}, which it will ask for.
     *
     * @param written is created
     */
    StoreClient(LocalStore store, UUID read, LoadTable written) throws IOException {
        this.store = store;
        this.read = read;
        this.written = written;
        store.createTable(written.ref(), written.cql());
        this.keys = keys(store, read);
    }

    private static List<PartitionKey> keys(LocalStore store, UUID table) throws IOException {
        List<PartitionKey> keys = new ArrayList<>();
        try (TableView view = store.view(table);
                MergedPartitions all = view.partitions(TokenRanges.FULL)) {
            for (Optional<Partition> next = all.next();
                    next.isPresent() && keys.size() < MOST_KEYS;
                    next = all.next()) {
                keys.add(next.get().header().key());
            }
        }
        return keys;
    }

    /**
     * Reads and writes for {@code seconds}.
     *
     * @param readNanos learns how long each read outside bursts took
     */
    Seen run(int seconds, LongConsumer readNanos) throws IOException, InterruptedException {
        Future<List<Request>> wrote = writer.submit(() -> requests(WRITES.dueMicros(seconds), this::write, any -> {}));
        List<Request> reads = requests(READS.dueMicros(seconds), this::read, readNanos);
        try {
            return new Seen(reads, wrote.get());
        } catch (ExecutionException failed) {
            throw new IOException("a write failed: " + failed.getCause(), failed);
        }
    }

    /** What a client asks for, and waits for. */
    private interface Asked {
        void run() throws IOException;
    }

    private static List<Request> requests(List<Integer> dueMicros, Asked asked, LongConsumer tookNanos)
            throws IOException, InterruptedException {
        List<Request> requests = new ArrayList<>(dueMicros.size());
        long began = System.nanoTime();
        for (int micros : dueMicros) {
            long due = began + TimeUnit.MICROSECONDS.toNanos(micros);
            Pause.ofNanos(due - System.nanoTime(), () -> false); // reads take less than the millisecond of a sleep
            asked.run();
            long took = System.nanoTime() - due;
            requests.add(new Request(micros, (int) TimeUnit.NANOSECONDS.toMicros(took)));
            if (!Arrivals.isInBurst(micros)) {
                tookNanos.accept(took);
            }
        }
        return requests;
    }

    private void read() throws IOException {
        PartitionKey key = keys.get(random.nextInt(keys.size()));
        try (TableView view = store.view(read)) {
            if (view.read(List.of(key)).size() != 1) {
                throw new IOException("a partition is gone: " + key);
            }
        }
    }

    private void write() throws IOException {
        long number = writes++;
        LoadTable.Write row = new LoadTable.Write(
                "key" + number,
                TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()),
                "v".repeat(VALUE_CHARACTERS));
        store.write(written.ref().id(), List.of(row.toMutation()));
    }

    /** Ends, after the write that is under way. */
    @Override
    public void close() throws IOException {
        writer.shutdownNow();
        try {
            if (!writer.awaitTermination(LONGEST_WRITE_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("a write has not ended within " + LONGEST_WRITE_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
