package io.sluice.streaming.install;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The real disk as several volumes, each of which fails on its own, from its n-th operation on, and has its own room.
 */
final class FailingVolumesDisk implements BreakableDisk {
    private static final long GIB = 1L << 30;

    private final Disk real = new FileSystemDisk();
    private final List<Path> volumes;
    private final Map<Path, Integer> operations = new HashMap<>();
    private final Map<Path, Integer> failingAt = new HashMap<>();
    private final Map<Path, Long> room = new HashMap<>();
    private boolean isGone;

    FailingVolumesDisk(List<Path> volumes) {
        this.volumes = volumes;
        volumes.forEach(volume -> room.put(volume, 100 * GIB));
    }

    FailingVolumesDisk failing(Path volume, int operation) {
        failingAt.put(volume, operation);
        return this;
    }

    /** Who fails does not refuse, but is not there any more. */
    FailingVolumesDisk vanishing(boolean isSo) {
        isGone = isSo;
        return this;
    }

    void fill(Path volume) {
        room.put(volume, 0L);
    }

    boolean hasFailed(Path volume) {
        return operations.getOrDefault(volume, 0) >= failingAt.getOrDefault(volume, Integer.MAX_VALUE);
    }

    private Path volume(Path path) {
        return volumes.stream().filter(path::startsWith).findFirst().orElse(path);
    }

    @Override
    public void before(String what, Path path) throws IOException {
        Path volume = volume(path);
        operations.merge(volume, 1, Integer::sum);
        whatever(what, path);
    }

    /** As an operation that is not counted, but fails like the others. */
    private void whatever(String what, Path path) throws IOException {
        if (hasFailed(volume(path))) {
            throw isGone
                    ? new NoSuchFileException(path.toString(), null, "injected: " + what)
                    : new IOException("injected: " + what + " " + path + ": Input/output error");
        }
    }

    @Override
    public Disk real() {
        return real;
    }

    @Override
    public boolean exists(Path path) {
        return !(isGone && hasFailed(volume(path))) && real.exists(path);
    }

    @Override
    public long usableBytes(Path directory) throws IOException {
        whatever("ask for the room of", directory);
        return room.getOrDefault(volume(directory), 100 * GIB);
    }

    @Override
    public long volumeBytes(Path directory) throws IOException {
        whatever("ask for the size of", directory);
        return real.volumeBytes(directory);
    }

    @Override
    public long size(Path file) throws IOException {
        whatever("ask for the size of", file);
        return real.size(file);
    }

    @Override
    public long crc32(Path file, long offset, long lengthBytes) throws IOException {
        if (isGone) { // else a sector that cannot be read, which is one file's matter
            whatever("read", file);
        }
        return real.crc32(file, offset, lengthBytes);
    }

    /** The next SSTable finds more room elsewhere. */
    @Override
    public DiskFile create(Path file) throws IOException {
        DiskFile created = BreakableDisk.super.create(file);
        room.computeIfPresent(volume(file), (volume, bytes) -> Math.max(0, bytes - GIB));
        return created;
    }

    @Override
    public Closeable lock(Path file) throws IOException {
        before("lock", file);
        return real.lock(file);
    }
}
