package io.sluice.streaming.install;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The real disk as several volumes, each of which fails on its own, from its n-th operation on, and has its own room.
 */
final class FailingVolumesDisk implements ForwardingDisk {
    private static final long GIB = 1L << 30;

    private final Disk real = new FileSystemDisk();
    private final List<Path> volumes;
    private final Map<Path, Integer> operations = new HashMap<>();
    private final Map<Path, Integer> failingAt = new HashMap<>();
    private final Map<Path, Long> room = new HashMap<>();

    FailingVolumesDisk(List<Path> volumes) {
        this.volumes = volumes;
        volumes.forEach(volume -> room.put(volume, 100 * GIB));
    }

    FailingVolumesDisk failing(Path volume, int operation) {
        failingAt.put(volume, operation);
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

    private void count(String what, Path path) throws IOException {
        Path volume = volume(path);
        operations.merge(volume, 1, Integer::sum);
        if (hasFailed(volume)) {
            throw new IOException("injected: " + what + " " + path + ": Input/output error");
        }
    }

    @Override
    public Disk real() {
        return real;
    }

    @Override
    public long usableBytes(Path directory) {
        return room.getOrDefault(volume(directory), 100 * GIB);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        count("make", directory);
        real.createDirectories(directory);
    }

    @Override
    public void syncFile(Path file) throws IOException {
        count("sync", file);
        real.syncFile(file);
    }

    /** The next SSTable finds more room elsewhere. */
    @Override
    public DiskFile create(Path file) throws IOException {
        count("create", file);
        room.computeIfPresent(volume(file), (volume, bytes) -> Math.max(0, bytes - GIB));
        return counting(file, real.create(file));
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        count("open", file);
        return counting(file, real.open(file));
    }

    private DiskFile counting(Path path, DiskFile file) {
        return new ForwardingFile(file) {
            @Override
            public int write(ByteBuffer bytes, long position) throws IOException {
                count("write", path);
                return file.write(bytes, position);
            }

            @Override
            public void sync() throws IOException {
                count("sync", path);
                file.sync();
            }
        };
    }

    @Override
    public byte[] read(Path file, int maxLengthBytes) throws IOException {
        count("read", file);
        return real.read(file, maxLengthBytes);
    }

    @Override
    public long refresh(Path file, long offset, long lengthBytes) throws IOException {
        count("refresh", file);
        return real.refresh(file, offset, lengthBytes);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        count("sync", directory);
        real.syncDirectory(directory);
    }

    @Override
    public void writeDurably(Path file, byte[] content) throws IOException {
        count("write", file);
        real.writeDurably(file, content);
    }

    @Override
    public Closeable lock(Path file) throws IOException {
        count("lock", file);
        return real.lock(file);
    }

    @Override
    public void link(Path newName, Path file) throws IOException {
        count("link", newName);
        real.link(newName, file);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        count("rename", from);
        real.rename(from, to);
    }

    @Override
    public void delete(Path path) throws IOException {
        count("delete", path);
        real.delete(path);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        count("list", directory);
        return real.list(directory);
    }
}
