package io.sluice.streaming.install;

import java.nio.file.Path;

/**
 * Takes files out of the operating system's memory that were streamed and that nobody will read soon, so that they do
 * not push out what the database reads. Java has no call for it; a database that has one ({@code posix_fadvise} with
 * {@code DONTNEED}) gives it here. Thread-safe.
 */
@FunctionalInterface
public interface PageCache {
    /** Leaves it to the operating system, which drops what was read once before what is read often. */
    PageCache KEEP = file -> {};

    /**
     * Drops what is in memory of a file of 1 MiB or more, all of which is on the disk. A failure is no reason to fail a
     * transfer, so there is nothing to throw. Called on threads for disk work, which may wait.
     */
    void drop(Path file);
}
