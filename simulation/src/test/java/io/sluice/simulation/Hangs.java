package io.sluice.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Calls that do not return until a test lets them, in virtual time: what makes them runs on a thread of its own, and
 * whoever has started or released it waits until it has ended or hangs. So there is only one at work at any time, and a
 * run is the same each time.
 */
final class Hangs {
    /** In real time, and only of a run that fails: a call that hangs has a lock that others wait for. */
    private static final long STUCK_SECONDS = 20;

    private final List<Task> hanging = new ArrayList<>();

    /** The thread of one task. */
    private static final class Task extends Thread {
        private final Runnable work;
        final Semaphore goOn = new Semaphore(0);
        final Semaphore rests = new Semaphore(0);
        boolean isHanging;

        @Nullable
        Throwable failure;

        Task(Runnable work) {
            super("simulated");
            this.work = work;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                work.run();
            } catch (Throwable e) { // thrown on by the thread of the scheduler
                failure = e;
            } finally {
                rests.release();
            }
        }
    }

    /** Runs {@code work} until it has ended or hangs; whether it has ended. On the thread of the scheduler. */
    boolean run(Runnable work) {
        Task task = new Task(work);
        task.start();
        return awaitRest(task);
    }

    private boolean awaitRest(Task task) {
        try {
            if (!task.rests.tryAcquire(STUCK_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("a task waits for a lock that is held while the disk or the database hangs");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        Throwable failure = task.failure;
        if (failure instanceof Error error) {
            throw error;
        } else if (failure instanceof RuntimeException defect) {
            throw defect;
        }
        return !task.isHanging;
    }

    /** Does not return until it is released. On the thread of a task. */
    void hang() {
        if (!(Thread.currentThread() instanceof Task task)) {
            throw new IllegalStateException("hangs on a thread that may not wait");
        }
        hanging.add(task);
        task.isHanging = true;
        task.rests.release();
        task.goOn.acquireUninterruptibly();
    }

    /** How many calls hang now. */
    int count() {
        return hanging.size();
    }

    /** Every call that hangs now returns. On the thread of the scheduler. */
    void release() {
        List<Task> released = List.copyOf(hanging);
        hanging.clear();
        for (Task task : released) {
            task.isHanging = false;
            task.goOn.release();
            awaitRest(task);
        }
    }
}
