package io.sluice.netty;

import io.sluice.netty.StreamingNode.ThreadKind;
import io.sluice.netty.threads.CloseDeadline;
import io.sluice.netty.threads.WorkerPool;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of a node that may block: on the disk, on the database when tables go live, on the authorizer.
 * Thread-safe.
 */
final class Workers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Workers.class);
    /** Maximum number of queued questions to the authorizer. */
    private static final int MOST_QUESTIONS = 1_000;

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);
    /** Nothing is lost if the authorizer does not answer. */
    private static final Duration AUTHORIZER = Duration.ofSeconds(1);

    private final WorkerPool disk;
    private final WorkerPool installs;
    private final WorkerPool access;

    /**
     * Starts threads.
     *
     * @throws IllegalStateException if a factory returns no thread
     */
    Workers(Function<ThreadKind, ThreadFactory> factories) {
        List<WorkerPool> started = new ArrayList<>();
        try {
            this.disk = pool(ThreadKind.DISK, Integer.MAX_VALUE, factories, started);
            this.installs = pool(ThreadKind.INSTALL, Integer.MAX_VALUE, factories, started);
            this.access = pool(ThreadKind.ACCESS, MOST_QUESTIONS, factories, started);
        } catch (RuntimeException | Error e) {
            started.forEach(WorkerPool::shutdown);
            throw e;
        }
    }

    private static WorkerPool pool(
            ThreadKind kind, int waiting, Function<ThreadKind, ThreadFactory> factories, List<WorkerPool> started) {
        WorkerPool pool =
                new WorkerPool(new WorkerPool.Size(kind.whileIdle(), kind.most(), waiting), factories.apply(kind));
        started.add(pool);
        return pool;
    }

    Executor disk() {
        return disk;
    }

    Executor installs() {
        return installs;
    }

    /** Asks the authorizer; rejects tasks when its queue is full. */
    Executor access() {
        return access;
    }

    /** The queued tasks. */
    List<QueueSample> queues() {
        return List.of(
                new QueueSample("disk", "tasks", disk.waiting(), QueueSample.OF_ITS_USERS),
                new QueueSample("install", "tables", installs.waiting(), QueueSample.OF_ITS_USERS));
    }

    @Override
    public void close() {
        close(CloseDeadline.within(CLOSE_LIMIT));
    }

    /**
     * Finishes queued tasks, then ends the threads, all until a deadline.
     *
     * @return whether no thread uses a disk or the database any more
     */
    boolean close(CloseDeadline deadline) {
        access.shutdownNow();
        disk.shutdown();
        installs.shutdown();
        boolean isIdle = awaitIdle(deadline);
        if (!isIdle) {
            LOG.warn(
                    "worker did not terminate: a disk operation or a call of the database hangs; its thread keeps running");
        }
        deadline.await(left -> access.awaitTermination(AUTHORIZER.compareTo(left) < 0 ? AUTHORIZER : left));
        return isIdle;
    }

    /** After {@link #close}: waits until no thread uses a disk or the database; returns whether that is so. */
    boolean awaitIdle(CloseDeadline deadline) {
        return deadline.await(disk::awaitTermination) && deadline.await(installs::awaitTermination);
    }
}
