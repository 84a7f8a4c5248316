package io.sluice.streaming.install;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;

/**
 * The real disk until its n-th operation, which fails, as do all after it: what a process sees that dies there, but for
 * the operation itself.
 */
final class FaultyDisk implements Disk {
    private final Disk real = new FileSystemDisk();
    private final int failingAt;
    private int operations;

    private FaultyDisk(int failingAt) {
        this.failingAt = failingAt;
    }

    static FaultyDisk failingAt(int operation) {
        return new FaultyDisk(operation);
    }

    boolean hasFailed() {
        return operations >= failingAt;
    }

    private void count(String what, Path path) throws IOException {
        if (++operations >= failingAt) {
            throw new IOException("injected: " + what + " " + path);
        }
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
    public void syncWritten(FileChannel file) throws IOException {
        count("sync", Path.of("an open file"));
        real.syncWritten(file);
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
