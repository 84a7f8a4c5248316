package io.sluice.harness.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.ForwardingDisk;
import io.sluice.streaming.install.ForwardingFile;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A disk that can be slowed down: writes of streaming then wait, as on a worn or busy device. Reads and the store's own
 * writes are not affected. Thread-safe.
 */
final class SlowDisk implements ForwardingDisk {
    private final Disk real;

    @GuardedBy("this")
    private long bytesPerSecond;

    @GuardedBy("this")
    private long busyUntilNanos = System.nanoTime();

    SlowDisk(Disk real) {
        this.real = real;
    }

    @Override
    public Disk real() {
        return real;
    }

    /** Limits writes to so many bytes per second; 0 for no limit. */
    synchronized void setRate(long limit) {
        bytesPerSecond = limit;
        busyUntilNanos = System.nanoTime();
    }

    @Override
    public DiskFile create(Path file) throws IOException {
        return new SlowFile(real.create(file));
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return new SlowFile(real.open(file));
    }

    /** When bytes that are written now will be on the disk. */
    private synchronized long doneNanos(int bytes) {
        long now = System.nanoTime();
        if (bytesPerSecond == 0) {
            return now;
        }
        busyUntilNanos = Math.max(busyUntilNanos, now) + TimeUnit.SECONDS.toNanos(1) * bytes / bytesPerSecond;
        return busyUntilNanos;
    }

    private void await(int bytes) throws IOException {
        long waitNanos = doneNanos(bytes) - System.nanoTime();
        if (waitNanos <= 0) {
            return;
        }
        try {
            TimeUnit.NANOSECONDS.sleep(waitNanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for the slow disk");
        }
    }

    private final class SlowFile implements ForwardingFile {
        private final DiskFile real;

        SlowFile(DiskFile real) {
            this.real = real;
        }

        @Override
        public DiskFile real() {
            return real;
        }

        @Override
        public int write(ByteBuffer bytes, long position) throws IOException {
            int written = real.write(bytes, position);
            await(written);
            return written;
        }
    }
}
