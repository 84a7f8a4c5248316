package io.sluice.streaming.install;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The real disk until its n-th operation, which fails, as do all after it: what a process sees that dies there, but for
 * the operation itself. Or the n-th alone: what a process sees that lives on.
 */
final class FaultyDisk implements BreakableDisk {
    private final Disk real = new FileSystemDisk();
    private final int failingAt;
    private final boolean isOnce;
    private int operations;

    private FaultyDisk(int failingAt, boolean isOnce) {
        this.failingAt = failingAt;
        this.isOnce = isOnce;
    }

    static FaultyDisk failingAt(int operation) {
        return new FaultyDisk(operation, false);
    }

    static FaultyDisk failingOnceAt(int operation) {
        return new FaultyDisk(operation, true);
    }

    boolean hasFailed() {
        return operations >= failingAt;
    }

    @Override
    public void before(String what, Path path) throws IOException {
        operations++;
        if (isOnce ? operations == failingAt : operations >= failingAt) {
            throw new IOException("injected: " + what + " " + path);
        }
    }

    @Override
    public Disk real() {
        return real;
    }

    @Override
    public long crc32(Path file, long offset, long lengthBytes) throws IOException {
        before("read", file);
        return real.crc32(file, offset, lengthBytes);
    }
}
