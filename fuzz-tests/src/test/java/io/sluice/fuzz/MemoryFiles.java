package io.sluice.fuzz;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Files that live in memory, for parsers that take a path. Each thread has its own: those of targets that run side by
 * side have the same names.
 */
public final class MemoryFiles {
    private static final ThreadLocal<Path> FOLDER = ThreadLocal.withInitial(
            () -> Jimfs.newFileSystem(Configuration.unix()).getPath("/work"));

    private MemoryFiles() {}

    /** A file of this content; the one of that name before is gone. */
    public static Path file(String name, byte[] content) throws IOException {
        return Files.write(FOLDER.get().resolve(name), content);
    }

    /** A folder that is empty, and whose files go when it is closed. */
    public static Folder folder() throws IOException {
        return new Folder(Files.createDirectories(FOLDER.get().resolve("folder")));
    }

    /** Where a receiver writes. */
    public record Folder(Path path) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            for (Path file : files()) {
                Files.delete(file);
            }
        }

        /** What is in it. */
        public List<Path> files() throws IOException {
            try (Stream<Path> files = Files.list(path)) {
                return files.toList();
            }
        }
    }

    /**
     * Lets pass that this file system opens no directory, which a writer does when all is written, to make it durable.
     */
    public static void requireNoDirectory(FileSystemException failed) throws FileSystemException {
        if (!FOLDER.get().resolve("folder").toString().equals(failed.getFile())) {
            throw failed;
        }
    }
}
