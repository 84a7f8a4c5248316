package io.sluice.simulation.cassandra;

import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** A lock of threads that take turns: nobody else runs while it is held, so that it excludes nobody. */
final class TurnLock implements Lock {
    private final TurnTaking turns;

    TurnLock(TurnTaking turns) {
        this.turns = turns;
    }

    @Override
    public void lock() {}

    @Override
    public void lockInterruptibly() {}

    @Override
    public boolean tryLock() {
        return true;
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) {
        return true;
    }

    @Override
    public void unlock() {}

    @Override
    public Condition newCondition() {
        return new Signals();
    }

    private final class Signals implements Condition {
        private long count;

        @Override
        public void await() throws InterruptedException {
            waitFor(Long.MAX_VALUE);
        }

        @Override
        public void awaitUninterruptibly() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long awaitNanos(long nanos) throws InterruptedException {
            return waitFor(nanos);
        }

        /** Returns the nanoseconds that are left. */
        private long waitFor(long nanos) throws InterruptedException {
            long before = count;
            long deadline = turns.nanoTime() + nanos;
            turns.await(() -> count != before, nanos);
            return deadline - turns.nanoTime();
        }

        @Override
        public boolean await(long time, TimeUnit unit) throws InterruptedException {
            return waitFor(unit.toNanos(time)) > 0;
        }

        @Override
        public boolean awaitUntil(Date deadline) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void signal() {
            count++;
        }

        @Override
        public void signalAll() {
            count++;
        }
    }
}
