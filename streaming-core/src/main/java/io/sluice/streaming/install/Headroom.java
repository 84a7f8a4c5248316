package io.sluice.streaming.install;

import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;

/** The free bytes of a staging volume that received data never uses. Thread-safe. */
final class Headroom {
    private final Disk disk;
    private final Path root;
    private final StagingLimits limits;
    private volatile OptionalLong measured = OptionalLong.empty();

    /** Measures nothing yet. */
    Headroom(Disk disk, Path root, StagingLimits limits) {
        this.disk = disk;
        this.root = root;
        this.limits = limits;
    }

    /** For the size that the volume has now. */
    long measure() throws IOException {
        long bytes = limits.headroom(disk.volumeBytes(root));
        measured = OptionalLong.of(bytes);
        return bytes;
    }

    /** As last measured: a volume is resized rarely, and space is taken for each file. */
    long last() throws IOException {
        OptionalLong bytes = measured;
        return bytes.isPresent() ? bytes.getAsLong() : measure();
    }
}
