package io.sluice.streaming.memory;

import io.sluice.streaming.progress.StreamActivity.QueueSample;
import java.util.concurrent.atomic.AtomicLong;

/** One part of the budget: how much of it is in use. It counts; who uses it allocates. Thread-safe. */
public final class MemoryPool {
    private final String name;
    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();

    public MemoryPool(String name, long limitBytes) {
        this.name = name;
        this.limitBytes = limitBytes;
    }

    /** Takes {@code bytes}, at least 0, if there are as many; else nothing, and it is false. */
    public boolean tryTake(long bytes) {
        long used = usedBytes.get();
        while (bytes <= limitBytes - used) {
            if (usedBytes.compareAndSet(used, used + bytes)) {
                return true;
            }
            used = usedBytes.get();
        }
        return false;
    }

    /** Releases what was taken. */
    public void release(long bytes) {
        usedBytes.addAndGet(-bytes);
    }

    /** Not in use. */
    long leftBytes() {
        return limitBytes - usedBytes.get();
    }

    public long limitBytes() {
        return limitBytes;
    }

    /** What is in use now. */
    public QueueSample sample() {
        return new QueueSample(name, "bytes", usedBytes.get(), limitBytes);
    }

    /** Why {@code bytes} more were not to be had, human-readable. */
    public String shortage(long bytes) {
        return name + ": " + bytes + " bytes more than the " + usedBytes.get() + " that are in use (expected: at most "
                + limitBytes + " in all, a part of streaming_memory); wait for running transfers, or raise"
                + " streaming_memory";
    }
}
