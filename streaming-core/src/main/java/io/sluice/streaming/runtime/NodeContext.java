package io.sluice.streaming.runtime;

import io.sluice.streaming.Deadlines;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.access.AccessControl;
import io.sluice.streaming.install.StagingArea;
import io.sluice.streaming.log.PeerLog;
import io.sluice.streaming.memory.PeerShares;
import io.sluice.streaming.metrics.Traffic;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.throttle.Throttles;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * The context that both ends of the sessions of a node share. Immutable; thread-safe.
 *
 * @param serial makes calls of the database for one plan sequential
 * @param inventory memory for lists of requests and offers, and for messages in flight
 * @param log for lines that a peer can cause without limit
 */
public record NodeContext(
        Node self,
        Environment environment,
        TableStore store,
        StagingArea staging,
        SerialExecutors serial,
        Throttles throttles,
        PeerShares inventory,
        AccessControl access,
        Traffic traffic,
        PeerLog log,
        Deadlines deadlines) {
    /** The clock of the loop. */
    public long nanoTime() {
        return environment.loop().nanoTime();
    }

    /** The wall-clock time, for results and logs. */
    public Instant now() {
        return environment.loop().now();
    }

    /** Runs {@code task} on the loop. */
    public void onLoop(Runnable task) {
        environment.loop().execute(task);
    }

    /**
     * Answers {@code question} on the loop.
     *
     * @return fails with a {@link StreamException} of code {@link ErrorCode#CANCELLED} if the node is closed
     */
    public <T> CompletableFuture<T> ask(Supplier<T> question) {
        try {
            return CompletableFuture.supplyAsync(question, environment.loop());
        } catch (RejectedExecutionException closed) {
            return CompletableFuture.failedFuture(
                    new StreamException(ErrorCode.CANCELLED, "this node is closed", closed));
        }
    }

    /** Runs {@code task} after all previous tasks of the same plan, on a thread that may block on the database. */
    public void onInstalls(UUID planId, Runnable task) {
        serial.execute(planId, environment.installs(), task);
    }

    /** Runs {@code task} after all previous tasks of the same plan, on a thread that may block on the disk. */
    public void onDisk(UUID planId, Runnable task) {
        serial.execute(planId, environment.disk(), task);
    }
}
