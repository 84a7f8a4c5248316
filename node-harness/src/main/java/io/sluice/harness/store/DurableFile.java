package io.sluice.harness.store;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.encoding.LocalFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Small files that survive a power loss either completely or not at all. Stateless. */
public final class DurableFile {
    private DurableFile() {}

    /** Writes {@code file}, replacing an existing one. */
    public static void write(Path file, String text) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        Files.deleteIfExists(temporary);
        ComponentOutput.write(temporary, Bytes.utf8(text));
        var files = new LocalFiles();
        files.syncFile(temporary);
        files.rename(temporary, file);
        files.syncDirectory(file.resolveSibling(".").normalize());
    }
}
