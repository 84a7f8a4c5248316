package io.sluice.bench.transfer;

import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.FileSystemDisk;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
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
    public DiskFile create(Path file) throws IOException {
        return new UnsyncedFile(real.create(file));
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return new UnsyncedFile(real.open(file));
    }

    private record UnsyncedFile(DiskFile file) implements DiskFile {
        @Override
        public int write(ByteBuffer bytes, long position) throws IOException {
            return file.write(bytes, position);
        }

        @Override
        public void sync() {
            // Not synced: see the class.
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    @Override
    public byte[] read(Path file, int maxLengthBytes) throws IOException {
        return real.read(file, maxLengthBytes);
    }

    @Override
    public long crc32(Path file, long offset, long lengthBytes) throws IOException {
        return real.crc32(file, offset, lengthBytes);
    }

    @Override
    public long refresh(Path file, long offset, long lengthBytes) throws IOException {
        return real.refresh(file, offset, lengthBytes);
    }

    @Override
    public boolean exists(Path path) {
        return real.exists(path);
    }

    @Override
    public boolean isDirectory(Path path) {
        return real.isDirectory(path);
    }

    @Override
    public long size(Path file) throws IOException {
        return real.size(file);
    }

    @Override
    public long modifiedMillis(Path file) throws IOException {
        return real.modifiedMillis(file);
    }

    @Override
    public long usableBytes(Path directory) throws IOException {
        return real.usableBytes(directory);
    }

    @Override
    public Closeable lock(Path file) throws IOException {
        return real.lock(file);
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
