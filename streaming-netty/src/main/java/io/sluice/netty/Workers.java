package io.sluice.netty;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.netty.metrics.QueueSample;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Threads of a node that may wait: for the disk, and for the database when tables go live. Thread-safe. */
final class Workers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Workers.class);
    private static final int DISK_THREADS = 16;
    /** As many tables go live at once; others wait in a queue of their own. */
    private static final int INSTALL_THREADS = 4;

    private static final long CLOSE_SECONDS = 5;

    private final ThreadPoolExecutor disk;
    private final ThreadPoolExecutor installs;

    /** @param name begins the names of all threads */
    Workers(String name) {
        this.disk = pool(DISK_THREADS, name + "-disk");
        this.installs = pool(INSTALL_THREADS, name + "-install");
    }

    /** All threads are made now: a process that cannot make another one later has those that clean up. */
    private static ThreadPoolExecutor pool(int threads, String name) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new DefaultThreadFactory(name));
        pool.prestartAllCoreThreads();
        return pool;
    }

    Executor disk() {
        return disk;
    }

    Executor installs() {
        return installs;
    }

    /** What waits for a thread. */
    List<QueueSample> queues() {
        return List.of(
                new QueueSample("disk", "tasks", disk.getQueue().size(), QueueSample.OF_ITS_USERS),
                new QueueSample("install", "tables", installs.getQueue().size(), QueueSample.OF_ITS_USERS));
    }

    /** Ends what is queued, then the threads. */
    @Override
    public void close() {
        disk.shutdown();
        installs.shutdown();
        try {
            if (!disk.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)
                    || !installs.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("a disk operation, or the database, does not end; its thread is left behind");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
