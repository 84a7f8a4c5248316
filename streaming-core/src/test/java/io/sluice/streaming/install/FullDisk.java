package io.sluice.streaming.install;

import java.io.IOException;
import java.nio.file.Path;

/** A disk of which the volumes under one folder are full: names fit in their directories, bytes do not. */
record FullDisk(Disk real, Path full, String words) implements ForwardingDisk {
    FullDisk(Path full) {
        this(new FileSystemDisk(), full, "No space left on device");
    }

    @Override
    public void writeDurably(Path file, byte[] content) throws IOException {
        if (file.startsWith(full) && content.length > 0) {
            throw new IOException(words);
        }
        real.writeDurably(file, content);
    }
}
