package io.sluice.cassandra.net;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Time and threads of sessions: production waits in real time, the simulation in virtual time. Thread-safe. */
public interface Clockwork {
    /** Real time and threads. */
    Clockwork REAL = new Clockwork() {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public <T> @Nullable T poll(BlockingQueue<T> queue, long millis) throws InterruptedException {
            return queue.poll(millis, TimeUnit.MILLISECONDS);
        }

        @Override
        public void sleep(long millis) throws InterruptedException {
            TimeUnit.MILLISECONDS.sleep(millis);
        }

        @Override
        public Thread start(String name, Runnable work) {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            thread.start();
            return thread;
        }

        @Override
        public void stop(List<Thread> threads, long millis) throws InterruptedException {
            threads.forEach(Thread::interrupt);
            for (Thread thread : threads) {
                thread.join(millis);
            }
        }
    };

    /** The clock, like {@link System#nanoTime}. */
    long nanoTime();

    /** Takes the head of {@code queue}; waits for it at most so long, then returns null. */
    <T> @Nullable T poll(BlockingQueue<T> queue, long millis) throws InterruptedException;

    /** Waits. */
    void sleep(long millis) throws InterruptedException;

    /** Starts a daemon thread. */
    Thread start(String name, Runnable work);

    /** Interrupts all {@code threads}, and waits at most so long for the end of each. */
    void stop(List<Thread> threads, long millis) throws InterruptedException;
}
