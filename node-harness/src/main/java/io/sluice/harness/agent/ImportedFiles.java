package io.sluice.harness.agent;

import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.encoding.LocalFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a table after an import, which syncs nothing: it renames, and copies a file that goes to another volume.
 * Immutable.
 */
record ImportedFiles(FileSync disk) {
    private static final Logger LOG = LoggerFactory.getLogger(ImportedFiles.class);

    /** Makes the content of a file durable. */
    interface FileSync {
        void sync(Path file) throws IOException;
    }

    /** Those of this machine. */
    static ImportedFiles onDisk() {
        return new ImportedFiles(new LocalFiles()::syncFile);
    }

    /**
     * Makes all SSTables in a folder of a table durable, and their names. Also those of before: an earlier import that
     * failed may have left a copy among them, and of a file that is durable a sync writes nothing.
     */
    void sync(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        for (Path file : sstables(folder)) {
            syncIfThere(file);
        }
        new LocalFiles().syncDirectory(folder);
    }

    private static List<Path> sstables(Path folder) throws IOException {
        return LocalFiles.entries(folder).stream()
                .filter(file ->
                        Descriptor.ofFile(String.valueOf(file.getFileName())).isPresent())
                .toList();
    }

    private void syncIfThere(Path file) throws IOException {
        try {
            disk.sync(file);
        } catch (NoSuchFileException compacted) { // what the node has written in its place it has synced itself
            LOG.info("{}: is gone before it is synced", file);
        }
    }
}
