package io.sluice.netty.threads;

import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads that are started before there is work for them; each runs one task, an event loop, and ends with it. Netty's
 * event loops would create their threads on first use, when the process may be out of threads, and would keep their
 * descriptors if that failed. Thread-safe.
 */
public final class StartedThreads implements Executor {
    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger free;

    private StartedThreads(int count) {
        this.free = new AtomicInteger(count);
    }

    /**
     * Starts {@code count} threads, or none if one fails.
     *
     * @throws IllegalStateException if {@code factory} returns no thread
     */
    public static StartedThreads start(int count, ThreadFactory factory) {
        StartedThreads started = new StartedThreads(count);
        try {
            for (int i = 0; i < count; i++) {
                Thread thread = Factories.made(factory.newThread(started::run));
                thread.start();
                started.threads.add(thread);
            }
            return started;
        } catch (RuntimeException | Error e) {
            started.cancel();
            throw e;
        }
    }

    private void run() {
        try {
            tasks.take().run();
        } catch (InterruptedException cancelled) {
            Thread.currentThread().interrupt();
        } finally {
            FastThreadLocal.removeAll();
        }
    }

    @Override
    public void execute(Runnable task) {
        if (free.getAndDecrement() <= 0) {
            throw new RejectedExecutionException("each of these threads has its event loop");
        }
        tasks.add(task);
    }

    /** Ends the threads that have no task yet. */
    public void cancel() {
        threads.forEach(Thread::interrupt);
    }
}
