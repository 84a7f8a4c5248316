package io.sluice.streaming.engine.receive;

import io.sluice.streaming.memory.MemoryPool;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Off-heap buffers that data connections reuse, within a part of the memory. Each session reserves one buffer before it
 * begins; sessions without one wait in order, so every session that has begun can continue. Further connections of a
 * session use remaining buffers, or wait.
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
    private final Deque<BufferLease> waiting = new ArrayDeque<>();

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

    /** Why a session waits, human-readable. */
    String why() {
        return "memory: " + memory.limitBytes() / costBytes
                + " connections are receiving, the maximum for"
                + " streaming_memory; the session begins when one of them ends";
    }

    /**
     * Reserves a buffer for a session; {@code onGranted} runs when one is available: now, or later on another thread.
     */
    BufferLease lease(Runnable onGranted) {
        BufferLease lease = new BufferLease(onGranted);
        synchronized (this) {
            if (!waiting.isEmpty() || !memory.tryTake(costBytes)) {
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
        private final Runnable onGranted;

        // Guarded by the enclosing Buffers.
        private boolean isGranted;
        private boolean isClosed;
        private int inUse;

        private BufferLease(Runnable onGranted) {
            this.onGranted = onGranted;
        }

        boolean isGranted() {
            synchronized (Buffers.this) {
                return isGranted;
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
                    if (!isAnother || (waiting.isEmpty() && memory.tryTake(costBytes))) {
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

    /** Grants freed memory to the session that has waited longest. The result must run outside the lock. */
    private Optional<Runnable> releaseMemory() {
        memory.release(costBytes);
        if (!waiting.isEmpty() && memory.tryTake(costBytes)) {
            BufferLease lease = waiting.remove();
            lease.isGranted = true;
            return Optional.of(lease.onGranted);
        }
        return Optional.empty();
    }
}
