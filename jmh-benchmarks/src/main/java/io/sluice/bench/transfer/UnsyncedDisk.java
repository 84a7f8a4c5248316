package io.sluice.bench.transfer;

import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.ForwardingDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The real disk without a single sync: shows what moving and checking cost without durability. Stateless. */
final class UnsyncedDisk implements ForwardingDisk {
    private final Disk real = new FileSystemDisk();

    @Override
    public Disk real() {
        return real;
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
    public void syncDirectory(Path directory) {
        // Not synced: see the class.
    }

    @Override
    public void writeDurably(Path file, byte[] content) throws IOException {
        Files.write(file, content, StandardOpenOption.CREATE_NEW);
    }
}
