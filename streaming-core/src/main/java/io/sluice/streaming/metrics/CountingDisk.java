package io.sluice.streaming.metrics;

import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.ForwardingDisk;
import io.sluice.streaming.install.ForwardingFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Counts writes and syncs, and delegates to another disk. Thread-safe.
 *
 * @param real the other disk
 */
public record CountingDisk(Disk real, Traffic traffic) implements ForwardingDisk {
    @Override
    public DiskFile create(Path file) throws IOException {
        return new CountingFile(real.create(file), traffic);
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return new CountingFile(real.open(file), traffic);
    }

    @Override
    public void syncFile(Path file) throws IOException {
        traffic.synced();
        real.syncFile(file);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        traffic.synced();
        real.syncDirectory(directory);
    }

    @Override
    public void writeDurably(Path file, byte[] content) throws IOException {
        traffic.wrote();
        traffic.synced();
        real.writeDurably(file, content);
    }

    private record CountingFile(DiskFile real, Traffic traffic) implements ForwardingFile {
        @Override
        public int write(ByteBuffer bytes, long position) throws IOException {
            traffic.wrote();
            return real.write(bytes, position);
        }

        @Override
        public void sync() throws IOException {
            traffic.synced();
            real.sync();
        }
    }
}
