package io.sluice.bench.transfer;

import io.sluice.bench.OneTableStore;
import io.sluice.netty.StreamingNode;
import io.sluice.netty.receive.Pause;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Fetches a table again and again, by a thread of its own, until it is ended. Another thread removes what has arrived,
 * a little at a time: to free the pages of a large file at once keeps a processor busy for 10 ms and more, which is not
 * the stream's.
 */
final class EndlessStream {
    private static final long REMOVED_AT_ONCE_BYTES = 8 << 20;
    private static final long BETWEEN_REMOVALS_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private static final long LONGEST_REMOVAL_SECONDS = 60;

    /** Tables that are on the disk beside the one that arrives. */
    static final int MOST_TO_REMOVE = 2;

    private final StreamingNode node;
    private final OneTableStore store;
    private final StreamRequest request;
    private final CompletableFuture<Void> ended;
    private final ExecutorService remover =
            Executors.newSingleThreadExecutor(task -> new Thread(task, "remove arrived"));
    /** Confined to the thread that fetches, until that has ended. */
    private final Queue<Future<?>> removals = new ArrayDeque<>();

    private volatile boolean isOver;
    private volatile UUID running = UUID.randomUUID();

    /** Begins, and returns when bytes arrive. */
    EndlessStream(StreamingNode node, OneTableStore store, StreamRequest request) throws InterruptedException {
        this.node = node;
        this.store = store;
        this.request = request;
        long before = node.counters().bytesReceived();
        this.ended = CompletableFuture.runAsync(this::run, task -> new Thread(task, "stream").start());
        while (node.counters().bytesReceived() == before && !ended.isDone()) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private void run() {
        try {
            while (!isOver) {
                if (removals.size() > MOST_TO_REMOVE) {
                    removals.remove().get();
                }
                running = UUID.randomUUID();
                PlanResult result = node.execute(new StreamPlan(running, Operation.BULK_LOAD, List.of(request)))
                        .get();
                if (!result.isComplete() && !isOver) {
                    throw new IllegalStateException("not installed: " + result.tables());
                }
                Path arrived = store.setAside();
                removals.add(remover.submit(() -> {
                    removeSlowly(arrived);
                    return null;
                }));
            }
        } catch (IOException | InterruptedException | ExecutionException e) {
            throw new IllegalStateException("the stream failed: " + e.getMessage(), e);
        }
    }

    private void removeSlowly(Path folder) throws IOException, InterruptedException {
        for (Path file : OneTableStore.files(folder)) {
            try (FileChannel content = FileChannel.open(file, StandardOpenOption.WRITE)) {
                for (long left = content.size() - REMOVED_AT_ONCE_BYTES; left > 0; left -= REMOVED_AT_ONCE_BYTES) {
                    content.truncate(left);
                    Pause.ofNanos(BETWEEN_REMOVALS_NANOS, () -> isOver);
                }
            }
            Files.delete(file);
        }
        Files.delete(folder);
    }

    /** Ends it, and waits until nothing of it is left. */
    void end() throws IOException, InterruptedException, ExecutionException {
        isOver = true;
        node.cancel(running, "measured");
        try {
            ended.get();
            for (Future<?> removal : removals) {
                removal.get();
            }
        } finally {
            remover.shutdown();
            remover.awaitTermination(
                    LONGEST_REMOVAL_SECONDS, TimeUnit.SECONDS); // only after a failure: else it has ended
        }
        store.clear();
    }
}
