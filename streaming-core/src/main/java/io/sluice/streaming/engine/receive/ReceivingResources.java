package io.sluice.streaming.engine.receive;

import io.sluice.streaming.memory.MemoryBudget;
import io.sluice.streaming.memory.MemoryPool;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/**
 * Resources that the receiving sessions of a node share: buffers, slots at sources and for open files, and the limit of
 * unsynced bytes. Thread-safe.
 */
public final class ReceivingResources {
    private final MemoryPool memory;
    private final Buffers buffers;
    private final SourceSlots places;
    private final OpenFiles openFiles;
    private final WriteBack writeBack;
    private final AtomicLong stagingSteps = new AtomicLong();

    /**
     * Starts with all resources free.
     *
     * @param overheadBytes memory of a data connection besides its buffer, for example for TLS
     * @param maxOpenFiles of received files, at least 1
     * @param sessionsPerPeer concurrent sessions with one source, at least 1
     * @param allocator allocates a buffer of the given length in bytes
     * @param writeBack runs syncs in the background of receiving threads
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

    /**
     * A progress counter of staging, of all sessions: while one of them waits for a disk thread, it sees that those
     * make progress.
     */
    AtomicLong stagingSteps() {
        return stagingSteps;
    }

    /** Fill levels of these resources. */
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
