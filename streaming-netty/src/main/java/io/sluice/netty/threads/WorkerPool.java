package io.sluice.netty.threads;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads that may block: a few live as long as the pool, more are added while there is work for them. If another
 * thread cannot be created, tasks wait for the existing ones, so that a process that is out of threads can still clean
 * up. An exception of a task goes to the uncaught-exception handler of its thread, and the thread continues.
 * Thread-safe.
 */
public final class WorkerPool implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerPool.class);

    /** Queued and running tasks. */
    private final AtomicInteger unfinished = new AtomicInteger();

    private final WaitingTasks waiting;
    private final ThreadPoolExecutor threads;

    /**
     * The size of a pool.
     *
     * @param least threads that start with the pool and stay
     * @param most maximum number of threads
     * @param mostWaiting maximum number of queued tasks; further ones are rejected
     * @param idle time after which an idle thread beyond {@code least} ends
     */
    public record Size(int least, int most, int mostWaiting, Duration idle) {
        private static final Duration IDLE = Duration.ofMinutes(1);

        /** A pool whose additional threads end after an idle minute. */
        public Size(int least, int most, int mostWaiting) {
            this(least, most, mostWaiting, IDLE);
        }

        /** A pool with an unbounded queue. */
        public Size(int least, int most) {
            this(least, most, Integer.MAX_VALUE);
        }
    }

    /** Makes the executor prefer a new thread to a queued task until it has the maximum number of threads. */
    private final class WaitingTasks extends LinkedBlockingQueue<Runnable> {
        private static final long serialVersionUID = 1L;

        private final int mostThreads;

        WaitingTasks(Size size) {
            super(size.mostWaiting());
            this.mostThreads = size.most();
        }

        @Override
        public boolean offer(Runnable task) {
            int now = threads.getPoolSize();
            return (now >= mostThreads || unfinished.get() <= now) && addAnyway(task);
        }

        boolean addAnyway(Runnable task) {
            return super.offer(task);
        }
    }

    /**
     * Starts the permanent threads.
     *
     * @throws IllegalStateException if {@code factory} returns no thread
     */
    public WorkerPool(Size size, ThreadFactory factory) {
        this.waiting = new WaitingTasks(size);
        this.threads = new ThreadPoolExecutor(
                size.least(), size.most(), size.idle().toNanos(), TimeUnit.NANOSECONDS, waiting, factory);
        Factories.start(threads, size.least());
    }

    /**
     * Runs a task on one of the threads.
     *
     * @throws RejectedExecutionException if the queue is full, or the pool is closed
     */
    @Override
    public void execute(Runnable task) {
        Runnable counted = () -> run(task);
        unfinished.incrementAndGet();
        try {
            threads.execute(counted);
        } catch (RuntimeException | OutOfMemoryError e) {
            if (threads.isShutdown() || !waiting.addAnyway(counted)) {
                unfinished.decrementAndGet();
                throw e;
            }
            LOG.debug("cannot create another thread, a task waits for the existing ones: {}", e.toString());
            if (threads.isShutdown()
                    && waiting.remove(counted)) { // shut down in between: possibly no thread is left to take it
                unfinished.decrementAndGet();
                throw e;
            }
        }
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) { // keep the thread: there may be no other
            Thread current = Thread.currentThread();
            current.getUncaughtExceptionHandler().uncaughtException(current, e);
        } finally {
            unfinished.decrementAndGet();
        }
    }

    /** The number of queued tasks. */
    public int waiting() {
        return waiting.size();
    }

    /** Rejects further tasks; the threads end after the queued ones. */
    public void shutdown() {
        threads.shutdown();
    }

    /** Rejects further tasks, drops queued ones and interrupts running ones. */
    public void shutdownNow() {
        threads.shutdownNow();
    }

    /** Whether all threads have ended in time. */
    public boolean awaitTermination(Duration limit) throws InterruptedException {
        return threads.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS);
    }
}
