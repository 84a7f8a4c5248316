package io.sluice.streaming.install;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A disk of which the volumes under one folder are full: names fit in their directories, bytes do not. Notes which
 * files are read.
 */
record FullDisk(Disk real, Path full, String words, List<Path> readWhole, AtomicBoolean isFull)
        implements ForwardingDisk {
    FullDisk(Disk real, Path full, String words) {
        this(real, full, words, new ArrayList<>(), new AtomicBoolean(true));
    }

    FullDisk(Path full) {
        this(new FileSystemDisk(), full, "No space left on device");
    }

    @Override
    public long usableBytes(Path directory) throws IOException {
        return isFull.get() && directory.startsWith(full) ? 0 : real.usableBytes(directory);
    }

    @Override
    public byte[] read(Path file, int maxLengthBytes) throws IOException {
        readWhole.add(file);
        return real.read(file, maxLengthBytes);
    }

    @Override
    public void writeDurably(Path file, byte[] content) throws IOException {
        if (isFull.get() && file.startsWith(full) && content.length > 0) {
            throw new IOException(words);
        }
        real.writeDurably(file, content);
    }
}
