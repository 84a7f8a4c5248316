package io.sluice.sstable.encoding;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Creates new files: all writes, name changes and syncs of SSTable writers use this interface, so that implementations
 * can count them, check them, or inject faults. Thread-safe.
 */
public interface OutputFiles {
    /** Creates a directory and its parents; the name becomes durable with {@link #syncDirectory} of the parent. */
    void createDirectories(Path directory) throws IOException;

    /** Creates an empty file, open for writing; fails if the name exists, also as a link. */
    OutputFile create(Path file) throws IOException;

    /** Whether something has this name; links are not followed. */
    boolean exists(Path path);

    /** Whether a directory has this name; links are not followed. */
    boolean isDirectory(Path path);

    /**
     * The entries of a directory, sorted; none if it does not exist, or another thread removes it meanwhile.
     *
     * @throws IOException also for a file, and for a symbolic link, which is not followed
     */
    List<Path> list(Path directory) throws IOException;

    /** Makes the content of a file durable. */
    void syncFile(Path file) throws IOException;

    /** Makes the names in a directory durable. */
    void syncDirectory(Path directory) throws IOException;

    /** Renames a file or a directory, replacing a file that has that name. */
    void rename(Path from, Path to) throws IOException;

    /** Removes a file, or an empty directory, if it exists. */
    void delete(Path path) throws IOException;

    /**
     * Removes a file, or a directory with its content, if it exists; does not follow links. Others may remove parts of
     * it at the same time.
     */
    default void deleteTree(Path path) throws IOException {
        if (isDirectory(path)) {
            for (Path entry : list(path)) {
                deleteTree(entry);
            }
        }
        delete(path);
    }
}
