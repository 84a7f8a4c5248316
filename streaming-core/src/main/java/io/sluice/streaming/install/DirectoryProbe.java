package io.sluice.streaming.install;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Finds out, before any plan does, whether a directory lets Sluice do what an install needs: make, sync, link, rename
 * and remove files. What a probe that died has left is removed by the next one. Stateless.
 */
final class DirectoryProbe {
    static final String NAME = "sluice-probe";
    private static final String OTHER_NAME = "sluice-probe-renamed";

    private DirectoryProbe() {}

    /** Tries the staging directory itself. */
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
            throw new IOException(
                    root + ": the staging directory cannot be used (is it read-only, or of another user?): "
                            + e.getMessage(),
                    e);
        }
    }

    /**
     * Tries whether a file of staging can be given a name in {@code live}: it cannot on another file system.
     *
     * @throws IOException which names both
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
            throw new IOException(
                    live + ": nothing can be installed there (is it read-only, of another user, or on another file"
                            + " system than " + root + "?): " + e.getMessage(),
                    e);
        }
    }
}
