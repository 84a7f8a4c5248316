package io.sluice.streaming.install;

import java.nio.file.Path;

/** The real disk, on a volume that has as much room as a test says. */
final class SmallVolume implements ForwardingDisk {
    private final Disk real = new FileSystemDisk();
    volatile long volumeBytes;
    volatile long usableBytes;

    SmallVolume(long volumeBytes, long usableBytes) {
        this.volumeBytes = volumeBytes;
        this.usableBytes = usableBytes;
    }

    @Override
    public Disk real() {
        return real;
    }

    @Override
    public long usableBytes(Path directory) {
        return usableBytes;
    }

    @Override
    public long volumeBytes(Path directory) {
        return volumeBytes;
    }
}
