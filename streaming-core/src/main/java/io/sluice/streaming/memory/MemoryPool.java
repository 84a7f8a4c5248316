package io.sluice.streaming.memory;

import io.sluice.streaming.progress.StreamActivity.QueueSample;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the used bytes of one part of the budget. It does not allocate: its users do. Thread-safe. */
public final class MemoryPool {
    private final String name;
    private final long limitBytes;
    private final String limitIs;
    private final String remedy;
    private final String remedyAlone;
    private final AtomicLong usedBytes = new AtomicLong();

    /** A part of the option {@code streaming_memory}. */
    public MemoryPool(String name, long limitBytes) {
        this(
                name,
                limitBytes,
                "a part of streaming_memory",
                "wait for running transfers, or raise streaming_memory",
                "raise streaming_memory, or transfer less with this peer at once");
    }

    private MemoryPool(String name, long limitBytes, String limitIs, String remedy, String remedyAlone) {
        this.name = name;
        this.limitBytes = limitBytes;
        this.limitIs = limitIs;
        this.remedy = remedy;
        this.remedyAlone = remedyAlone;
    }

    /** Three quarters of the heap, for a command that has no such option. */
    public static MemoryPool ofHeap(String name) {
        String remedy = "transfer fewer files at once";
        return new MemoryPool(
                name, Runtime.getRuntime().maxMemory() / 4 * 3, "three quarters of the heap", remedy, remedy);
    }

    /** Takes {@code bytes}, at least 0, if they are free; otherwise takes nothing and returns false. */
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

    /** Releases taken bytes. */
    public void release(long bytes) {
        usedBytes.addAndGet(-bytes);
    }

    /** The free bytes. */
    long leftBytes() {
        return limitBytes - usedBytes.get();
    }

    public long limitBytes() {
        return limitBytes;
    }

    /** The current usage. */
    public QueueSample sample() {
        return new QueueSample(name, "bytes", usedBytes.get(), limitBytes);
    }

    /** Why {@code bytes} more cannot be taken, human-readable. */
    public String shortage(long bytes) {
        return shortage(bytes, 0);
    }

    /** The same for a user of {@code ownBytes}: if others use none, there is nobody to wait for. */
    String shortage(long bytes, long ownBytes) {
        return name + ": " + bytes + " bytes requested, " + usedBytes.get() + " in use (expected: at most " + limitBytes
                + " in total, " + limitIs + "); " + (usedBytes.get() > ownBytes ? remedy : remedyAlone);
    }
}
