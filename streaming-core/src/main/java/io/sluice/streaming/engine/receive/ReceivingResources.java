package io.sluice.streaming.engine.receive;

import io.sluice.streaming.memory.MemoryBudget;
import io.sluice.streaming.memory.MemoryPool;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/**
 * What the receiving sessions of a node share: buffers, places at sources and for open files, and the bound of bytes
 * that are not on the disk yet. Thread-safe.
 */
public final class ReceivingResources {
    private final MemoryPool memory;
    private final Buffers buffers;
    private final SourceSlots places;
    private final OpenFiles openFiles;
    private final WriteBack writeBack;

    /**
     * All of it is free.
     *
     * @param overheadBytes what a data connection takes besides its buffer, as for a cipher
     * @param maxOpenFiles of those that bytes land in, at least 1
     * @param sessionsPerPeer that fetch from one source at once, at least 1
     * @param allocator makes a buffer of so many bytes
     * @param writeBack runs syncs behind the back of those who receive
     */
    public ReceivingResources(
            MemoryBudget budget,
            int overheadBytes,
            int maxOpenFiles,
            int sessionsPerPeer,
            IntFunction<ByteBuffer> allocator,
            Executor writeBack) {
        this.memory = new MemoryPool("receiving", budget.receivingBytes());
        this.buffers = new Buffers(memory, budget.receiveBufferBytes(), overheadBytes, allocator);
        this.places = new SourceSlots(sessionsPerPeer);
        this.openFiles = new OpenFiles(maxOpenFiles);
        this.writeBack = new WriteBack(writeBack, budget.dirtyBytes());
    }

    Buffers buffers() {
        return buffers;
    }

    SourceSlots places() {
        return places;
    }

    OpenFiles openFiles() {
        return openFiles;
    }

    WriteBack writeBack() {
        return writeBack;
    }

    /** How full it is. */
    public List<QueueSample> queues() {
        return Stream.concat(
                        Stream.of(
                                memory.sample(),
                                new QueueSample(
                                        "receiving.waiting", "sessions", buffers.waiting(), QueueSample.OF_ITS_USERS),
                                writeBack.sample()),
                        openFiles.samples().stream())
                .toList();
    }
}
