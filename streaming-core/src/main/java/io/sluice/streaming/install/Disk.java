package io.sluice.streaming.install;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;

/** The file operations that durability hangs on: one seam, so that tests can let each of them fail. Thread-safe. */
public interface Disk {
    /** Makes a directory and its parents; the name becomes durable with {@link #syncDirectory} of the parent. */
    void createDirectories(Path directory) throws IOException;

    /** Makes the content of a file durable. */
    void syncFile(Path file) throws IOException;

    /** Makes durable what was written to an open file until now; more may be written meanwhile. */
    void syncWritten(FileChannel file) throws IOException;

    /** Makes the names in a directory durable. */
    void syncDirectory(Path directory) throws IOException;

    /** Writes a new file with this content and makes the content durable; fails if the file exists. */
    void writeDurably(Path file, byte[] content) throws IOException;

    /**
     * Makes {@code file} have this content, durably: whoever looks later sees all of it or, before this returns, none.
     * What an earlier, interrupted call left is replaced.
     */
    default void publish(Path file, byte[] content) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        delete(temporary);
        writeDurably(temporary, content);
        rename(temporary, file);
        syncDirectory(file.resolveSibling("."));
    }

    /** Gives a file a second name, without replacing anything. */
    void link(Path newName, Path file) throws IOException;

    /** Renames within a directory, replacing what has that name. */
    void rename(Path from, Path to) throws IOException;

    /** Removes a file, or an empty directory, if it exists. */
    void delete(Path path) throws IOException;

    /** The entries of a directory, sorted; none if it does not exist. */
    List<Path> list(Path directory) throws IOException;
}
