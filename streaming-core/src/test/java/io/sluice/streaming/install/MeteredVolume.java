package io.sluice.streaming.install;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The real disk, on a volume of some thousand bytes: each byte of a component that is written takes one of them. It
 * syncs nothing, to be quick.
 */
final class MeteredVolume implements ForwardingDisk {
    private final Disk real = new FileSystemDisk();
    private final long volumeBytes;
    private final Map<Path, BitSet> written = new HashMap<>();
    /** Taken by others than us. */
    long foreignBytes;

    MeteredVolume(long volumeBytes) {
        this.volumeBytes = volumeBytes;
    }

    @Override
    public Disk real() {
        return real;
    }

    @Override
    public long volumeBytes(Path directory) {
        return volumeBytes;
    }

    @Override
    public long usableBytes(Path directory) {
        return Math.max(0, volumeBytes - foreignBytes - usedBytes());
    }

    private long usedBytes() {
        return written.values().stream().mapToLong(BitSet::cardinality).sum();
    }

    @Override
    public DiskFile create(Path file) throws IOException {
        return metered(file, real.create(file));
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return metered(file, real.open(file));
    }

    @Override
    public void syncFile(Path file) {
        // As above.
    }

    @Override
    public void syncDirectory(Path directory) {
        // As above.
    }

    @Override
    public void writeDurably(Path file, byte[] content) throws IOException {
        Files.write(file, content, StandardOpenOption.CREATE_NEW);
    }

    /** Links count once: the staged name is the one that bytes were written to. */
    @Override
    public void delete(Path path) throws IOException {
        real.delete(path);
        written.remove(path);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        real.rename(from, to);
        for (Path path : List.copyOf(written.keySet())) {
            if (path.startsWith(from)) {
                written.put(to.resolve(from.relativize(path)), written.remove(path));
            }
        }
    }

    private void take(Path path, int from, int count) {
        written.computeIfAbsent(path, any -> new BitSet()).set(from, from + count);
    }

    private DiskFile metered(Path path, DiskFile file) {
        boolean isCounted = path.toString().endsWith(".db"); // all else is little beside the data
        return new DiskFile() {
            @Override
            public int write(ByteBuffer bytes, long position) throws IOException {
                int count = file.write(bytes, position);
                if (isCounted) {
                    take(path, (int) position, count);
                }
                return count;
            }

            @Override
            public void sync() {
                // Nobody pulls the plug.
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
}
