package io.sluice.streaming.install;

import io.sluice.streaming.log.SystemError;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks at the start whether a directory permits the operations of an install: create, sync, link, rename and remove
 * files. Removes files that an interrupted probe left. A full disk passes: recovery may free space, and links need
 * none. Stateless.
 */
final class DirectoryProbe {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryProbe.class);
    static final String NAME = "sluice-probe";
    private static final String OTHER_NAME = "sluice-probe-renamed";

    private DirectoryProbe() {}

    /** Checks the staging directory itself. */
    static void staging(Disk disk, Path root) throws IOException {
        Path file = root.resolve(NAME);
        Path renamed = root.resolve(OTHER_NAME);
        try {
            disk.delete(file);
            disk.writeDurably(file, new byte[1]);
            disk.rename(file, renamed);
            disk.syncDirectory(root);
            disk.delete(renamed);
        } catch (IOException e) {
            if (isFull(root, e)) {
                return;
            }
            throw new IOException(
                    root + ": the staging directory cannot be used (is it read-only, or owned by another user?): "
                            + e.getMessage(),
                    e);
        }
    }

    /**
     * Checks whether a file of staging can be linked into {@code live}, which is impossible on another file system.
     *
     * @throws IOException with a message that names both directories
     */
    static void live(Disk disk, Path root, Path live) throws IOException {
        Path file = root.resolve(NAME);
        Path link = live.resolve(NAME);
        try {
            disk.delete(file);
            disk.delete(link);
            disk.writeDurably(file, new byte[1]);
            disk.link(link, file);
            disk.syncDirectory(live);
            disk.delete(link);
            disk.delete(file);
        } catch (IOException e) {
            if (isFull(live, e)) {
                return;
            }
            throw new IOException(
                    live
                            + ": nothing can be installed there (is it read-only, owned by another user, or on another file"
                            + " system than " + root + "?): " + e.getMessage(),
                    e);
        }
    }

    private static boolean isFull(Path directory, IOException e) {
        boolean isFull = SystemError.isFull(e);
        if (isFull) {
            LOG.warn("{}: cannot be checked: {}", directory, e.getMessage());
        }
        return isFull;
    }
}
