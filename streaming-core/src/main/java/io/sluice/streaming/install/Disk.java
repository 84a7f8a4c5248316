package io.sluice.streaming.install;

import io.sluice.sstable.encoding.OutputFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The files of staging: every byte, name and sync that durability hangs on goes through here, and what a source
 * prepares to send, so that the same code runs on a real disk and on a simulated one that fails, tears and forgets.
 * Thread-safe.
 */
public interface Disk extends OutputFiles {
    @Override
    DiskFile create(Path file) throws IOException;

    /** Opens an existing file for writing; follows no link. */
    DiskFile open(Path file) throws IOException;

    /**
     * The whole content of a file.
     *
     * @param maxLengthBytes no file that is longer is read
     * @throws IOException also if it is longer
     */
    byte[] read(Path file, int maxLengthBytes) throws IOException;

    /**
     * The CRC-32 of a part of a file.
     *
     * @throws java.io.EOFException if the file ends before
     */
    long crc32(Path file, long offset, long lengthBytes) throws IOException;

    /**
     * Reads a part of a file and writes the same bytes again. So the next sync makes them durable, whatever became of
     * an earlier one: a kernel that failed to write a page counts it as written.
     *
     * @return the CRC-32 of the part
     * @throws java.io.EOFException if the file ends before
     */
    long refresh(Path file, long offset, long lengthBytes) throws IOException;

    /** Length of a file, in bytes. */
    long size(Path file) throws IOException;

    /** When a file was written last, in milliseconds since 1970 by the clock of the wall. */
    long modifiedMillis(Path file) throws IOException;

    /** What shows later whether the file was changed or replaced. */
    FileIdentity identity(Path file) throws IOException;

    /** Bytes that may still be written to the file system of a directory. */
    long usableBytes(Path directory) throws IOException;

    /** Bytes of the file system of a directory, used or not. */
    long volumeBytes(Path directory) throws IOException;

    /**
     * Locks a file, which is made if need be, against other processes and other callers of this one.
     *
     * @return gives the lock back
     * @throws DirectoryInUseException if somebody else has it
     */
    Closeable lock(Path file) throws IOException;

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
        syncDirectory(file.resolveSibling(".").normalize());
    }

    /** Gives a file a second name, without replacing anything. */
    void link(Path newName, Path file) throws IOException;

    /** Says that nobody will read a file soon, all of which is on the disk; what that comes to is the disk's matter. */
    default void leaveCache(Path file) throws IOException {}
}
