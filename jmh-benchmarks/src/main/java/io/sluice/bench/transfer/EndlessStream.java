package io.sluice.bench.transfer;

import io.sluice.bench.OneTableStore;
import io.sluice.netty.StreamingNode;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Fetches a table again and again, by a thread of its own, until it is ended. */
final class EndlessStream {
    private final StreamingNode node;
    private final OneTableStore store;
    private final StreamRequest request;
    private final CompletableFuture<Void> ended;
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
                running = UUID.randomUUID();
                PlanResult result = node.execute(new StreamPlan(running, Operation.BULK_LOAD, List.of(request)))
                        .get();
                if (!result.isComplete() && !isOver) {
                    throw new IllegalStateException("not installed: " + result.tables());
                }
                store.clear();
            }
        } catch (IOException | InterruptedException | ExecutionException e) {
            throw new IllegalStateException("the stream failed: " + e.getMessage(), e);
        }
    }

    /** Ends it, and waits until nothing of it is left. */
    void end() throws InterruptedException, ExecutionException {
        isOver = true;
        node.cancel(running, "measured");
        ended.get();
    }
}
