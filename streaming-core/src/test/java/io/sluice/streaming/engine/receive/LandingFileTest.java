package io.sluice.streaming.engine.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.install.DiskFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Several connections and one file. */
class LandingFileTest {
    private static final int CONNECTIONS = 4;
    private static final int WRITES = 200;

    /** Counts the threads that write to it at the same time. */
    private static final class Crowded implements DiskFile {
        final AtomicInteger writing = new AtomicInteger();
        final AtomicInteger most = new AtomicInteger();

        @Override
        public int write(ByteBuffer bytes, long position) {
            most.accumulateAndGet(writing.incrementAndGet(), Math::max);
            LockSupport.parkNanos(1_000); // time for others to come
            int length = bytes.remaining();
            bytes.position(bytes.limit());
            writing.decrementAndGet();
            return length;
        }

        @Override
        public void sync() {}

        @Override
        public long size() {
            return 0;
        }

        @Override
        public void close() {}
    }

    @Test
    void threads_wait_for_each_other_here_and_not_in_the_kernel() throws Exception {
        Crowded disk = new Crowded();
        WriteBack writeBack = new WriteBack(Runnable::run, Long.MAX_VALUE);
        LandingFile file = new LandingFile(() -> disk, new OpenFiles(1), writeBack.debt(error -> {
            throw new AssertionError(error);
        }));
        ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS);
        try {
            CountDownLatch start = new CountDownLatch(CONNECTIONS);
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                done.add(threads.submit(() -> {
                    file.enter();
                    start.countDown();
                    start.await();
                    for (int write = 0; write < WRITES; write++) {
                        file.write(ByteBuffer.allocate(1), write);
                    }
                    file.leave();
                    return file;
                }));
            }
            for (Future<?> one : done) {
                one.get(1, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(disk.most).hasValue(1);
        file.close();
    }
}
