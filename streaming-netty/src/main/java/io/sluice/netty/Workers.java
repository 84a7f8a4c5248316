package io.sluice.netty;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.streaming.access.AccessControl;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads of a node that may wait: for the disk, for the database when tables go live, for the authorizer. Thread-safe.
 */
final class Workers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Workers.class);
    private static final int DISK_THREADS = 16;
    /** As many tables go live at once; others wait in a queue of their own. */
    private static final int INSTALL_THREADS = 4;

    /** Questions that wait for the authorizer. */
    private static final int MOST_QUESTIONS = 1_000;

    private static final long CLOSE_SECONDS = 5;

    private final ThreadPoolExecutor disk;
    private final ThreadPoolExecutor installs;
    private final ThreadPoolExecutor access;

    /** @param name begins the names of all threads */
    Workers(String name) {
        this.disk = pool(DISK_THREADS, name + "-disk", new LinkedBlockingQueue<>());
        this.installs = pool(INSTALL_THREADS, name + "-install", new LinkedBlockingQueue<>());
        this.access = pool(AccessControl.THREADS, name + "-access", new ArrayBlockingQueue<>(MOST_QUESTIONS));
    }

    /** All threads are made now: a process that cannot make another one later has those that clean up. */
    private static ThreadPoolExecutor pool(int threads, String name, BlockingQueue<Runnable> queue) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(threads, threads, 0, TimeUnit.SECONDS, queue, new DefaultThreadFactory(name));
        pool.prestartAllCoreThreads();
        return pool;
    }

    Executor disk() {
        return disk;
    }

    Executor installs() {
        return installs;
    }

    /** Rejects what would wait for too long. */
    Executor access() {
        return access;
    }

    /** What waits for a thread. */
    List<QueueSample> queues() {
        return List.of(
                new QueueSample("disk", "tasks", disk.getQueue().size(), QueueSample.OF_ITS_USERS),
                new QueueSample("install", "tables", installs.getQueue().size(), QueueSample.OF_ITS_USERS));
    }

    /** Ends what is queued, then the threads; one that an authorizer blocks is not waited for. */
    @Override
    public void close() {
        access.shutdownNow();
        disk.shutdown();
        installs.shutdown();
        try {
            if (!disk.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)
                    || !installs.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn(
                        "worker did not terminate: a disk operation or a call of the database hangs; its thread keeps running");
            }
            access.awaitTermination(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
