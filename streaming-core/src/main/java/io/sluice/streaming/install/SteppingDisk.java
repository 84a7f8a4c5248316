package io.sluice.streaming.install;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Calls back after each write to a new file, and delegates to another disk. Thread-safe if {@code step} is.
 *
 * @param real the other disk
 * @param step called after each write of at most a buffer
 */
record SteppingDisk(Disk real, Runnable step) implements ForwardingDisk {
    @Override
    public DiskFile create(Path file) throws IOException {
        return new SteppingFile(real.create(file), step);
    }

    private record SteppingFile(DiskFile real, Runnable step) implements ForwardingFile {
        @Override
        public int write(ByteBuffer bytes, long position) throws IOException {
            int count = real.write(bytes, position);
            step.run();
            return count;
        }
    }
}
