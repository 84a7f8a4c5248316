package io.sluice.bench.transfer;

import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.FileSystemDisk;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** The real disk without a single sync: shows what moving and checking cost without durability. Stateless. */
final class UnsyncedDisk implements Disk {
    private final Disk real = new FileSystemDisk();

    @Override
    public void createDirectories(Path directory) throws IOException {
        real.createDirectories(directory);
    }

    @Override
    public void syncFile(Path file) {
        // Not synced: see the class.
    }

    @Override
    public void syncWritten(FileChannel file) {
        // Not synced: see the class.
    }

    @Override
    public void syncDirectory(Path directory) {
        // Not synced: see the class.
    }

    @Override
    public void writeDurably(Path file, byte[] content) throws IOException {
        Files.write(file, content, StandardOpenOption.CREATE_NEW);
    }

    @Override
    public void link(Path newName, Path file) throws IOException {
        real.link(newName, file);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        real.rename(from, to);
    }

    @Override
    public void delete(Path path) throws IOException {
        real.delete(path);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        return real.list(directory);
    }
}
