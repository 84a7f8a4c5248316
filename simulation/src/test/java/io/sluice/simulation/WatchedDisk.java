package io.sluice.simulation;

import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.FileIdentity;
import io.sluice.streaming.install.ForwardingDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Consumer;

/** The disk of a node, of which some operations may be made to hang. */
final class WatchedDisk implements ForwardingDisk {
    private final Disk real;

    Operation onOperation = (what, name) -> {};
    /** A file is looked at, to see later whether it has changed. */
    Consumer<Path> onIdentity = file -> {};

    long volumeBytes;

    /** What happens before an operation has an effect. */
    interface Operation {
        /** On a file of that name, its new one if it gets one. */
        void begins(String what, String name);
    }

    WatchedDisk(Disk real) {
        this.real = real;
    }

    @Override
    public Disk real() {
        return real;
    }

    private void begins(String what, Path file) {
        onOperation.begins(what, file.getFileName().toString());
    }

    @Override
    public DiskFile create(Path file) throws IOException {
        return watched(file, real.create(file));
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return watched(file, real.open(file));
    }

    private DiskFile watched(Path file, DiskFile made) {
        return new DiskFile() {
            @Override
            public int write(ByteBuffer bytes, long position) throws IOException {
                begins("write", file);
                return made.write(bytes, position);
            }

            @Override
            public void sync() throws IOException {
                made.sync();
            }

            @Override
            public long size() throws IOException {
                return made.size();
            }

            @Override
            public void close() throws IOException {
                made.close();
            }
        };
    }

    @Override
    public FileIdentity identity(Path file) throws IOException {
        onIdentity.accept(file);
        return real.identity(file);
    }

    @Override
    public void syncFile(Path file) throws IOException {
        begins("sync", file);
        real.syncFile(file);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        begins("rename", to);
        real.rename(from, to);
    }

    @Override
    public long volumeBytes(Path directory) throws IOException {
        return volumeBytes;
    }
}
