package io.sluice.harness.store;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.encoding.LocalFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Small files that are there after a power loss, whole, or not at all. Stateless. */
final class DurableFile {
    private DurableFile() {}

    /** Writes {@code file}, in the place of one of that name. */
    static void write(Path file, String text) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        Files.deleteIfExists(temporary);
        ComponentOutput.write(temporary, Bytes.utf8(text));
        var files = new LocalFiles();
        files.syncFile(temporary);
        files.rename(temporary, file);
        files.syncDirectory(file.resolveSibling(".").normalize());
    }
}
