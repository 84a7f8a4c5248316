package io.sluice.streaming.install;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A disk that delegates to another one; implementations override some methods, for example to count, to inject faults,
 * or to skip syncs.
 */
public interface ForwardingDisk extends Disk {
    /** The disk to delegate to. */
    Disk real();

    @Override
    default void createDirectories(Path directory) throws IOException {
        real().createDirectories(directory);
    }

    @Override
    default DiskFile create(Path file) throws IOException {
        return real().create(file);
    }

    @Override
    default DiskFile open(Path file) throws IOException {
        return real().open(file);
    }

    @Override
    default byte[] read(Path file, int maxLengthBytes) throws IOException {
        return real().read(file, maxLengthBytes);
    }

    @Override
    default long crc32(Path file, long offset, long lengthBytes) throws IOException {
        return real().crc32(file, offset, lengthBytes);
    }

    @Override
    default long refresh(Path file, long offset, long lengthBytes) throws IOException {
        return real().refresh(file, offset, lengthBytes);
    }

    @Override
    default boolean exists(Path path) {
        return real().exists(path);
    }

    @Override
    default boolean isDirectory(Path path) {
        return real().isDirectory(path);
    }

    @Override
    default long size(Path file) throws IOException {
        return real().size(file);
    }

    @Override
    default long modifiedMillis(Path file) throws IOException {
        return real().modifiedMillis(file);
    }

    @Override
    default FileIdentity identity(Path file) throws IOException {
        return real().identity(file);
    }

    @Override
    default long usableBytes(Path directory) throws IOException {
        return real().usableBytes(directory);
    }

    @Override
    default long volumeBytes(Path directory) throws IOException {
        return real().volumeBytes(directory);
    }

    @Override
    default Closeable lock(Path file) throws IOException {
        return real().lock(file);
    }

    @Override
    default void syncFile(Path file) throws IOException {
        real().syncFile(file);
    }

    @Override
    default void syncDirectory(Path directory) throws IOException {
        real().syncDirectory(directory);
    }

    @Override
    default void writeDurably(Path file, byte[] content) throws IOException {
        real().writeDurably(file, content);
    }

    @Override
    default void link(Path newName, Path file) throws IOException {
        real().link(newName, file);
    }

    @Override
    default void rename(Path from, Path to) throws IOException {
        real().rename(from, to);
    }

    @Override
    default void delete(Path path) throws IOException {
        real().delete(path);
    }

    @Override
    default void leaveCache(Path file) throws IOException {
        real().leaveCache(file);
    }

    @Override
    default List<Path> list(Path directory) throws IOException {
        return real().list(directory);
    }
}
