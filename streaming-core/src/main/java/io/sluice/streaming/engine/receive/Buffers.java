package io.sluice.streaming.engine.receive;

import io.sluice.streaming.memory.MemoryPool;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Buffers outside of the heap that data connections use one after the other, within a part of the memory. Each session
 * has one reserved for it before it begins, and those for whom there is none wait in order; so all that have begun can
 * go on. Connections beyond the first of a session use what is left, or wait.
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

    /** @param overheadBytes what a connection takes besides its buffer, as for a cipher */
    Buffers(MemoryPool memory, int lengthBytes, int overheadBytes, IntFunction<ByteBuffer> allocator) {
        this.memory = memory;
        this.allocator = allocator;
        this.lengthBytes = lengthBytes;
        this.costBytes = (long) lengthBytes + overheadBytes;
        if (costBytes > memory.limitBytes()) {
            throw new IllegalArgumentException(memory.shortage(costBytes));
        }
    }

    /** Sessions that have no buffer yet. */
    synchronized int waiting() {
        return waiting.size();
    }

    /** Why a session waits, human-readable. */
    String why() {
        return "memory: " + memory.limitBytes() / costBytes
                + " connections receive already, as many as streaming_memory"
                + " lets; it begins when one of them ends";
    }

    /** Sets a buffer aside for a session; {@code onGranted} runs when there is one: now, or later on another thread. */
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

    /** What one session may use. */
    final class BufferLease implements AutoCloseable {
        private final Runnable onGranted;

        // Guarded by the buffers.
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
         * A buffer of any content, as soon as there is one.
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

        /** @param isPaid whether room was taken for it just now: nothing of it is kept if there is no buffer */
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

        /** Releases a buffer; the caller forgets it. */
        void release(ByteBuffer buffer) {
            Optional<Runnable> next;
            synchronized (Buffers.this) {
                free.add(buffer);
                inUse--;
                // The one that was reserved stays so until the session is over.
                next = inUse > 0 || isClosed ? releaseMemory() : Optional.empty();
                Buffers.this.notifyAll();
            }
            next.ifPresent(Runnable::run);
        }

        /** The session is over: no buffer is taken any more, and those in use free their room when they come back. */
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

    /** Room for one buffer is free again: who has waited longest gets it. To be run outside of the lock. */
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
