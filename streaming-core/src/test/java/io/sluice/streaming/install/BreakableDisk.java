package io.sluice.streaming.install;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** A disk of which any operation may fail before it is done. */
interface BreakableDisk extends ForwardingDisk {
    /** Throws in place of the operation, if it is to fail. */
    void before(String what, Path path) throws IOException;

    @Override
    default void createDirectories(Path directory) throws IOException {
        before("make", directory);
        real().createDirectories(directory);
    }

    @Override
    default void syncFile(Path file) throws IOException {
        before("sync", file);
        real().syncFile(file);
    }

    @Override
    default DiskFile create(Path file) throws IOException {
        before("create", file);
        return breakable(file, real().create(file));
    }

    @Override
    default DiskFile open(Path file) throws IOException {
        before("open", file);
        return breakable(file, real().open(file));
    }

    private DiskFile breakable(Path path, DiskFile file) {
        return new ForwardingFile() {
            @Override
            public DiskFile real() {
                return file;
            }

            @Override
            public int write(ByteBuffer bytes, long position) throws IOException {
                before("write", path);
                return file.write(bytes, position);
            }

            @Override
            public void sync() throws IOException {
                before("sync", path);
                file.sync();
            }
        };
    }

    @Override
    default byte[] read(Path file, int maxLengthBytes) throws IOException {
        before("read", file);
        return real().read(file, maxLengthBytes);
    }

    @Override
    default long refresh(Path file, long offset, long lengthBytes) throws IOException {
        before("refresh", file);
        return real().refresh(file, offset, lengthBytes);
    }

    @Override
    default void syncDirectory(Path directory) throws IOException {
        before("sync", directory);
        real().syncDirectory(directory);
    }

    @Override
    default void writeDurably(Path file, byte[] content) throws IOException {
        before("write", file);
        real().writeDurably(file, content);
    }

    @Override
    default void link(Path newName, Path file) throws IOException {
        before("link", newName);
        real().link(newName, file);
    }

    @Override
    default void rename(Path from, Path to) throws IOException {
        before("rename", from);
        real().rename(from, to);
    }

    @Override
    default void delete(Path path) throws IOException {
        before("delete", path);
        real().delete(path);
    }

    @Override
    default List<Path> list(Path directory) throws IOException {
        before("list", directory);
        return real().list(directory);
    }
}
