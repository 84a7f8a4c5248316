package io.sluice.netty.receive;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.netty.transport.SocketTuning;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * What the receiving data connections of a node share: threads (one for each open connection, and two that sync behind
 * them), buffers, and the bound of bytes that are not on the disk yet. Thread-safe.
 */
public final class DataLinks implements AutoCloseable {
    private static final int WRITE_BACK_THREADS = 2;
    private static final long MAX_DIRTY_BYTES = 256 << 20;
    private static final long CLOSE_SECONDS = 5;

    private final SocketTuning tuning;
    private final Buffers buffers = new Buffers();
    private final ExecutorService threads;
    private final ExecutorService writeBackThreads;
    private final WriteBack writeBack;

    /** @param name begins the names of all threads */
    public DataLinks(String name, SocketTuning tuning) {
        this.tuning = tuning;
        this.threads = Executors.newCachedThreadPool(new DefaultThreadFactory(name + "-receive"));
        this.writeBackThreads =
                Executors.newFixedThreadPool(WRITE_BACK_THREADS, new DefaultThreadFactory(name + "-write-back"));
        this.writeBack = new WriteBack(writeBackThreads, MAX_DIRTY_BYTES);
    }

    SocketTuning tuning() {
        return tuning;
    }

    Buffers buffers() {
        return buffers;
    }

    WriteBack writeBack() {
        return writeBack;
    }

    void start(DataLink link) {
        threads.execute(link);
    }

    /** Waits for the threads, after all connections were closed. */
    @Override
    public void close() {
        threads.shutdownNow();
        writeBackThreads.shutdown();
        try {
            threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            writeBackThreads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
