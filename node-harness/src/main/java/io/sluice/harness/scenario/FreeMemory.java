package io.sluice.harness.scenario;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Free memory of a virtual machine, which may have gone back to the host: some kernels report pages that were free for
 * seconds (free page reporting), and the first write to each such page waits for the host. So a run that follows a
 * pause takes several times as long to fill files as one that follows the deletion of others, whoever runs.
 */
public final class FreeMemory {
    private static final int PIECE_BYTES = 1 << 20;

    private FreeMemory() {}

    /**
     * Takes so much memory and releases it at once, by a file in {@code folder}, so that whoever writes next finds it
     * here. To be called before each run that is timed. Nothing is left by a process that is killed meanwhile, on
     * Linux.
     *
     * @param folder on the file system that the run will fill
     * @param bytes about as many as the run will fill
     */
    public static void fetch(Path folder, long bytes) throws IOException {
        Path file = Files.createTempFile(folder, "free-memory", null);
        // Its name goes when it is opened: the kernel takes the memory back from whoever is killed.
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            ByteBuffer zeros = ByteBuffer.allocateDirect(PIECE_BYTES);
            while (channel.position() < bytes) {
                channel.write(zeros.clear());
            }
        }
    }
}
