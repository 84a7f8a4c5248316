package io.sluice.streaming.install;

import io.sluice.sstable.encoding.OutputFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Access to the files of staging, and to slices that a source prepares. Every write, name change and sync that
 * durability depends on uses this interface, so that the same code runs on a real disk and on a simulated one that
 * fails, tears writes and loses data. Thread-safe.
 */
public interface Disk extends OutputFiles {
    @Override
    DiskFile create(Path file) throws IOException;

    /** Opens an existing file for writing; does not follow links. */
    DiskFile open(Path file) throws IOException;

    /**
     * Reads a whole file.
     *
     * @param maxLengthBytes the maximum length; a longer file is not read
     * @throws IOException also if the file is longer
     */
    byte[] read(Path file, int maxLengthBytes) throws IOException;

    /**
     * The CRC-32 of a part of a file.
     *
     * @throws java.io.EOFException if the file ends before
     */
    long crc32(Path file, long offset, long lengthBytes) throws IOException;

    /**
     * Reads a part of a file and writes the same bytes again, so that the next sync makes them durable even if an
     * earlier one failed: after a failed write the kernel considers the page written.
     *
     * @return the CRC-32 of the part
     * @throws java.io.EOFException if the file ends before
     */
    long refresh(Path file, long offset, long lengthBytes) throws IOException;

    /** Length of a file, in bytes. */
    long size(Path file) throws IOException;

    /** When a file was last written, in milliseconds since 1970 by the wall clock. */
    long modifiedMillis(Path file) throws IOException;

    /** An identity that shows later whether the file was changed or replaced. */
    FileIdentity identity(Path file) throws IOException;

    /** Free bytes of the file system of a directory. */
    long usableBytes(Path directory) throws IOException;

    /** The size of the file system of a directory, in bytes. */
    long volumeBytes(Path directory) throws IOException;

    /**
     * Locks a file, which is created if necessary, against other processes and other callers in this process.
     *
     * @return closing it releases the lock
     * @throws DirectoryInUseException if the file is locked already
     */
    Closeable lock(Path file) throws IOException;

    /** Writes a new file with this content and makes the content durable; fails if the file exists. */
    void writeDurably(Path file, byte[] content) throws IOException;

    /**
     * Creates {@code file} with this content, atomically and durably: a crash before this returns leaves all of it or
     * nothing. Replaces what an interrupted call left.
     */
    default void publish(Path file, byte[] content) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        delete(temporary);
        writeDurably(temporary, content);
        rename(temporary, file);
        syncDirectory(file.resolveSibling(".").normalize());
    }

    /** Creates a hard link, without replacing a file. */
    void link(Path newName, Path file) throws IOException;

    /** A hint that a file, which is completely on the disk, will not be read soon. */
    default void leaveCache(Path file) throws IOException {}
}
