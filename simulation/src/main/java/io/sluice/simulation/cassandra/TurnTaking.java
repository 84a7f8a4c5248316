package io.sluice.simulation.cassandra;

import io.sluice.cassandra.net.Clockwork;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time, and threads of which only one runs at a time. A thread that waits hands its turn back; a seed decides
 * whose turn is next, so that a run is repeatable although the driver blocks. The owner's thread calls {@link #step};
 * everything else is for the threads that take turns.
 */
final class TurnTaking implements Clockwork {
    static final long MILLISECOND = 1_000_000L;
    private static final com.sun.management.ThreadMXBean MEMORY =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final SplittableRandom random;
    private final List<Worker> workers = new ArrayList<>();
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(Timer::atNanos).thenComparingLong(Timer::number));
    private final Semaphore handedBack = new Semaphore(0);
    private final List<Throwable> uncaught = new ArrayList<>();
    private long nowNanos = 1;
    private long numbers;
    private long steps;
    private long mostAllocatedBytes;

    private record Timer(long atNanos, long number, Runnable work) {}

    /** A process whose threads all end when it is killed. */
    static final class Life {
        private boolean isOver;

        /** From now on its threads have no turns. */
        void end() {
            isOver = true;
        }

        boolean isOver() {
            return isOver;
        }
    }

    TurnTaking(SplittableRandom random) {
        this.random = random;
    }

    /** A thread that runs only in its turn. */
    private final class Worker extends Thread {
        private final Life life;
        private final Runnable work;
        private final Semaphore turn = new Semaphore(0);
        private BooleanSupplier isReady = () -> true;
        private long deadlineNanos = Long.MAX_VALUE;
        /** The flag of the thread itself is down while it waits for its turn. */
        private boolean isStopped;

        private boolean isKilled;
        private boolean isDone;

        Worker(String name, Life life, Runnable work) {
            super(name);
            this.life = life;
            this.work = work;
            setDaemon(true);
        }

        @Override
        public void run() {
            turn.acquireUninterruptibly();
            try {
                if (!isKilled) {
                    work.run();
                }
            } catch (Killed end) {
                isKilled = true;
            } catch (Throwable thrown) {
                failRun(thrown);
            } finally {
                mostAllocatedBytes =
                        Math.max(mostAllocatedBytes, MEMORY.getThreadAllocatedBytes(getId())); // ends with its life
                isDone = true;
                handedBack.release();
            }
        }

        @Override
        public void interrupt() {
            isStopped = true;
            super.interrupt();
        }

        boolean isAble() {
            return !isDone && !life.isOver() && (deadlineNanos <= nowNanos || isStopped || isReady.getAsBoolean());
        }
    }

    /** Starts a thread of a process. */
    Thread start(Life life, String name, Runnable work) {
        Worker worker = new Worker(name, life, work);
        workers.add(worker);
        worker.start();
        return worker;
    }

    /** The process of the thread that calls. */
    static Life life() {
        return ((Worker) Thread.currentThread()).life;
    }

    /** Runs {@code work} after a delay, between turns. */
    void after(long nanos, Runnable work) {
        timers.add(new Timer(nowNanos + Math.max(1, nanos), numbers++, work));
    }

    /** Lets one thread take its turn, or one timer run; false if nothing will happen before {@code untilNanos}. */
    boolean step(long untilNanos) {
        workers.removeIf(worker -> worker.isDone);
        List<Worker> able = workers.stream().filter(Worker::isAble).toList();
        Timer due = timers.peek();
        boolean isDue = due != null && due.atNanos() <= nowNanos;
        int choices = able.size() + (isDue ? 1 : 0);
        if (choices == 0) {
            long next = due == null ? Long.MAX_VALUE : due.atNanos();
            for (Worker worker : workers) {
                next = worker.life.isOver() ? next : Math.min(next, worker.deadlineNanos);
            }
            nowNanos = Math.min(next, untilNanos);
            return next <= untilNanos;
        }
        steps++;
        int chosen = random.nextInt(choices);
        if (chosen == able.size()) {
            timers.remove();
            due.work().run();
        } else {
            letRun(able.get(chosen));
        }
        return true;
    }

    private void letRun(Worker worker) {
        worker.turn.release();
        handedBack.acquireUninterruptibly();
    }

    /**
     * Waits until {@code isReady}, or until the time is over.
     *
     * @return whether it is ready
     * @throws InterruptedException if the thread was interrupted
     */
    boolean await(BooleanSupplier isReady, long nanos) throws InterruptedException {
        Worker self = (Worker) Thread.currentThread();
        if (self.isKilled) {
            throw new Killed();
        }
        self.isReady = isReady;
        self.deadlineNanos = nanos > Long.MAX_VALUE - nowNanos ? Long.MAX_VALUE : nowNanos + Math.max(0, nanos);
        handedBack.release();
        self.turn.acquireUninterruptibly();
        self.deadlineNanos = Long.MAX_VALUE;
        if (self.isKilled) {
            throw new Killed();
        }
        if (self.isStopped) {
            self.isStopped = false;
            throw Thread.interrupted() ? new InterruptedException() : new InterruptedException("before its turn");
        }
        return isReady.getAsBoolean();
    }

    /** Ends all threads, also those of killed processes; returns whether they have ended. */
    boolean end() {
        for (int i = 0; i < 100 && workers.stream().anyMatch(worker -> !worker.isDone); i++) {
            for (Worker worker : List.copyOf(workers)) {
                if (!worker.isDone) {
                    worker.isKilled = true;
                    letRun(worker);
                }
            }
        }
        return workers.stream().allMatch(worker -> worker.isDone);
    }

    /** Names of the threads of processes that live. */
    List<String> running() {
        return workers.stream()
                .filter(worker -> !worker.isDone && !worker.life.isOver())
                .map(Thread::getName)
                .toList();
    }

    /** What was thrown out of threads. */
    private void failRun(Throwable thrown) {
        uncaught.add(thrown);
    }

    List<Throwable> uncaught() {
        return uncaught;
    }

    long steps() {
        return steps;
    }

    /** The most that a thread which has ended has allocated on the heap. */
    long mostAllocatedBytes() {
        return mostAllocatedBytes;
    }

    @Override
    public long nanoTime() {
        return nowNanos;
    }

    @Override
    public <T> @Nullable T poll(BlockingQueue<T> queue, long millis) throws InterruptedException {
        Queue<T> events = queue;
        await(() -> !events.isEmpty(), millis * MILLISECOND);
        return events.poll();
    }

    @Override
    public void sleep(long millis) throws InterruptedException {
        await(() -> false, millis * MILLISECOND);
    }

    @Override
    public Thread start(String name, Runnable work) {
        return start(life(), name, work);
    }

    @Override
    public void stop(List<Thread> threads, long millis) throws InterruptedException {
        threads.forEach(Thread::interrupt);
        for (Thread thread : threads) {
            join(thread, millis);
        }
    }

    /** Waits for the end of {@code thread}, at most so long. */
    void join(Thread thread, long millis) throws InterruptedException {
        await(() -> ((Worker) thread).isDone, millis * MILLISECOND);
    }
}
