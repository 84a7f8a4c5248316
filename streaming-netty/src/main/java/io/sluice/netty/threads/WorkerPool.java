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
 * Threads that may wait: a few that live as long as the pool, and more while there is work for them. If another one
 * cannot be made, tasks wait for those that are there, so a process that is out of threads still cleans up. What a task
 * throws goes to the handler of its thread, and the thread lives on. Thread-safe.
 */
public final class WorkerPool implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerPool.class);

    /** Tasks that wait, or run. */
    private final AtomicInteger unfinished = new AtomicInteger();

    private final WaitingTasks waiting;
    private final ThreadPoolExecutor threads;

    /**
     * How large a pool is.
     *
     * @param least threads that are made at the start and stay
     * @param most threads
     * @param mostWaiting tasks; others are rejected
     * @param idle after which a thread beyond {@code least} ends
     */
    public record Size(int least, int most, int mostWaiting, Duration idle) {
        private static final Duration IDLE = Duration.ofMinutes(1);

        /** Threads that end after an idle minute. */
        public Size(int least, int most, int mostWaiting) {
            this(least, most, mostWaiting, IDLE);
        }

        /** The same for as many tasks as come. */
        public Size(int least, int most) {
            this(least, most, Integer.MAX_VALUE);
        }
    }

    /** Makes the executor start a thread rather than let a task wait, as long as it may have more. */
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
     * Starts the threads that stay.
     *
     * @throws IllegalStateException if {@code factory} makes no thread
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
     * @throws RejectedExecutionException if too many wait, or the pool is closed
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
            LOG.debug("no further thread can be made, a task waits for those that are there: {}", e.toString());
            if (threads.isShutdown() && waiting.remove(counted)) { // between the two: maybe nobody is left to take it
                unfinished.decrementAndGet();
                throw e;
            }
        }
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) { // there may be no other thread
            Thread current = Thread.currentThread();
            current.getUncaughtExceptionHandler().uncaughtException(current, e);
        } finally {
            unfinished.decrementAndGet();
        }
    }

    /** How many tasks wait for a thread. */
    public int waiting() {
        return waiting.size();
    }

    /** Takes no more tasks; its threads end when those that wait were run. */
    public void shutdown() {
        threads.shutdown();
    }

    /** The same, but drops what waits and interrupts what runs. */
    public void shutdownNow() {
        threads.shutdownNow();
    }

    /** Whether all threads have ended in time. */
    public boolean awaitTermination(long seconds) throws InterruptedException {
        return threads.awaitTermination(seconds, TimeUnit.SECONDS);
    }
}
