package io.sluice.streaming.install;

import java.nio.file.Path;

/**
 * Drops streamed files that will not be read soon from the page cache, so that they do not evict what the database
 * reads. Java has no call for it; a database can supply one ({@code posix_fadvise} with {@code DONTNEED}). Thread-safe.
 */
@FunctionalInterface
public interface PageCache {
    /** Drops nothing: the operating system evicts pages that were read once before those that are read often. */
    PageCache KEEP = file -> {};

    /**
     * Drops the cached pages of a file of 1 MiB or more, which is completely on the disk. Must not throw: a failure
     * does not fail the transfer. Called on disk threads, which may block.
     */
    void drop(Path file);
}
