package io.sluice.harness.store;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.encoding.LocalFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Small files and folders that are there after a power loss, whole, or not at all. Stateless. */
final class DurableFile {
    private DurableFile() {}

    /** Writes {@code file}, in the place of one of that name. */
    static void write(Path file, String text) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        Files.deleteIfExists(temporary);
        ComponentOutput.write(temporary, Bytes.utf8(text));
        new LocalFiles().syncFile(temporary);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        syncDirectory(file.resolveSibling(".").normalize());
    }

    /** Makes the names in a folder durable. */
    static void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory)) {
            channel.force(true);
        }
    }
}
