package io.sluice.streaming.engine.receive;

import io.sluice.streaming.memory.MemoryPool;
import io.sluice.streaming.plan.Operation.Priority;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Off-heap buffers that data connections reuse, within a part of the memory. Each session reserves one buffer before it
 * begins; of sessions without one the most urgent is next, so every session that has begun can continue. Further
 * connections of a session use remaining buffers, or wait.
 *
 * <p>Thread-safe.
 */
final class Buffers {
    private final MemoryPool memory;
    private final IntFunction<ByteBuffer> allocator;
    private final int lengthBytes;
    private final long costBytes;

    // Guarded by this.
    private final Deque<ByteBuffer> free = new ArrayDeque<>();
    private final WaitQueue<BufferLease> waiting = new WaitQueue<>(lease -> lease.priority.get());

    /** @param overheadBytes memory of a connection besides its buffer, for example for TLS */
    Buffers(MemoryPool memory, int lengthBytes, int overheadBytes, IntFunction<ByteBuffer> allocator) {
        this.memory = memory;
        this.allocator = allocator;
        this.lengthBytes = lengthBytes;
        this.costBytes = (long) lengthBytes + overheadBytes;
        if (costBytes > memory.limitBytes()) {
            throw new IllegalArgumentException(memory.shortage(costBytes));
        }
    }

    /** Number of sessions that wait for a buffer. */
    synchronized int waiting() {
        return waiting.size();
    }

    /**
     * Reserves a buffer for a session; {@code onGranted} runs when one is available: now, or later on another thread.
     *
     * @param priority of its plan, now
     */
    BufferLease lease(Supplier<Priority> priority, Runnable onGranted) {
        BufferLease lease = new BufferLease(priority, onGranted);
        synchronized (this) {
            if (waiting.size() > 0 || !memory.tryTake(costBytes)) {
                waiting.add(lease);
                return lease;
            }
            lease.isGranted = true;
        }
        onGranted.run();
        return lease;
    }

    /** The buffers of one session. */
    final class BufferLease implements AutoCloseable {
        private final Supplier<Priority> priority;
        private final Runnable onGranted;

        // Guarded by the enclosing Buffers.
        private boolean isGranted;
        private boolean isClosed;
        private int inUse;

        private BufferLease(Supplier<Priority> priority, Runnable onGranted) {
            this.priority = priority;
            this.onGranted = onGranted;
        }

        boolean isGranted() {
            synchronized (Buffers.this) {
                return isGranted;
            }
        }

        /** Why the session waits, human-readable. */
        String why() {
            synchronized (Buffers.this) {
                return "memory: " + memory.limitBytes() / costBytes
                        + " connections are receiving, the maximum for streaming_memory; "
                        + SourceSlots.next(waiting.before(this), priority.get());
            }
        }

        /**
         * Returns a buffer with arbitrary content; waits until one is available.
         *
         * @throws InterruptedIOException if the session ends first, or the thread is interrupted
         */
        ByteBuffer take() throws InterruptedIOException {
            synchronized (Buffers.this) {
                while (true) {
                    if (isClosed) {
                        throw new InterruptedIOException("the session is over");
                    }
                    boolean isAnother = inUse > 0;
                    if (!isAnother || (waiting.size() == 0 && memory.tryTake(costBytes))) {
                        return take(isAnother);
                    }
                    try {
                        Buffers.this.wait();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw new InterruptedIOException("interrupted");
                    }
                }
            }
        }

        /** @param isPaid whether memory was charged for it just now: the charge is undone if there is no buffer */
        private ByteBuffer take(boolean isPaid) {
            try {
                ByteBuffer free = Buffers.this.free.poll();
                ByteBuffer buffer = free == null ? allocator.apply(lengthBytes) : free.clear();
                inUse++;
                return buffer;
            } catch (OutOfMemoryError e) {
                if (isPaid) {
                    memory.release(costBytes);
                }
                throw e;
            }
        }

        /** Releases a buffer; the caller must not use it any more. */
        void release(ByteBuffer buffer) {
            Optional<Runnable> next;
            synchronized (Buffers.this) {
                free.add(buffer);
                inUse--;
                // The reserved one stays reserved until the session is over.
                next = inUse > 0 || isClosed ? releaseMemory() : Optional.empty();
                Buffers.this.notifyAll();
            }
            next.ifPresent(Runnable::run);
        }

        /**
         * Ends the lease: no more buffers are handed out, and those in use free their memory when they are released.
         */
        @Override
        public void close() {
            Optional<Runnable> next;
            synchronized (Buffers.this) {
                if (isClosed) {
                    return;
                }
                isClosed = true;
                waiting.remove(this);
                next = isGranted && inUse == 0 ? releaseMemory() : Optional.empty();
                Buffers.this.notifyAll();
            }
            next.ifPresent(Runnable::run);
        }
    }

    /** Grants freed memory to the next session that waits. The result must run outside the lock. */
    private Optional<Runnable> releaseMemory() {
        memory.release(costBytes);
        if (waiting.size() == 0 || !memory.tryTake(costBytes)) {
            return Optional.empty();
        }
        return waiting.poll().map(lease -> {
            lease.isGranted = true;
            return lease.onGranted;
        });
    }
}
