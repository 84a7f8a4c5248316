package io.sluice.streaming.install;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * The real disk until its n-th operation, which fails, as do all after it: what a process sees that dies there, but for
 * the operation itself. Or the n-th alone: what a process sees that lives on.
 */
final class FaultyDisk implements ForwardingDisk {
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

    private void count(String what, Path path) throws IOException {
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
    public void createDirectories(Path directory) throws IOException {
        count("create", directory);
        real.createDirectories(directory);
    }

    @Override
    public void syncFile(Path file) throws IOException {
        count("sync", file);
        real.syncFile(file);
    }

    @Override
    public DiskFile create(Path file) throws IOException {
        count("create", file);
        return counting(file, real.create(file));
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        count("open", file);
        return counting(file, real.open(file));
    }

    private DiskFile counting(Path path, DiskFile file) {
        return new DiskFile() {
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

            @Override
            public long size() throws IOException {
                return file.size();
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }

    @Override
    public byte[] read(Path file, int maxLengthBytes) throws IOException {
        count("read", file);
        return real.read(file, maxLengthBytes);
    }

    @Override
    public long crc32(Path file, long offset, long lengthBytes) throws IOException {
        count("read", file);
        return real.crc32(file, offset, lengthBytes);
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
