package io.sluice.streaming.install;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Checks that committed sets are as their commit files say, before the first link, so that a set never goes live in
 * part. Remembers what this process has committed or checked, and does not read it again. Thread-safe for different
 * sets.
 */
final class WholeSets {
    private final Set<SetName> known = ConcurrentHashMap.newKeySet();

    /** This process has committed or checked a set: from now on the lengths of its files are sufficient. */
    void add(SetName set) {
        known.add(set);
    }

    /** A set is cleaned up. */
    void remove(SetName set) {
        known.remove(set);
    }

    /**
     * Checks all files of a set.
     *
     * @throws CorruptSetException if a file is missing or has changed
     */
    void require(SetFolder folder, List<LinkedFile> files) throws IOException {
        boolean isRead = known.contains(folder.name());
        ReadProgress progress = new ReadProgress(folder, bytesWithChecksum(files));
        for (LinkedFile file : files) {
            require(folder, file, isRead, progress);
        }
    }

    private static long bytesWithChecksum(List<LinkedFile> files) {
        return files.stream()
                .filter(file -> file.crc32().isPresent())
                .mapToLong(LinkedFile::lengthBytes)
                .sum();
    }

    private static void require(SetFolder folder, LinkedFile link, boolean isRead, ReadProgress progress)
            throws IOException {
        Disk disk = link.disk();
        // Linked before a crash, its only name is possibly the live one.
        boolean isStaged = disk.exists(link.staged());
        Path file = isStaged ? link.staged() : link.target();
        if (!isStaged && !disk.exists(file)) {
            throw new CorruptSetException(link.staged() + " and " + link.target()
                    + " are both missing (expected: one of them, by the commit file in " + folder
                    + "); nothing was moved");
        }
        if (disk.size(file) != link.lengthBytes()) {
            throw new CorruptSetException(file + ": " + disk.size(file) + " bytes (expected: " + link.lengthBytes()
                    + " by the commit file in " + folder + "); nothing was moved");
        }
        if (isRead || link.crc32().isEmpty()) {
            return;
        }
        long crc32 = progress.crc32(disk, file, link.lengthBytes());
        if (crc32 != link.crc32().getAsLong()) {
            throw new CorruptSetException(String.format(
                    Locale.ROOT,
                    "%s: CRC-32 %08x (expected: %08x by the commit file in %s); nothing was moved",
                    file,
                    crc32,
                    link.crc32().getAsLong(),
                    folder));
        }
    }
}
