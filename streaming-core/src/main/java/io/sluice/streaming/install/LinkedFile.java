package io.sluice.streaming.install;

import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of a committed set, with its staged name and the live one that it gets. Immutable.
 *
 * @param lengthBytes by the commit file
 * @param crc32 by the commit file; empty if it is not known
 */
record LinkedFile(Disk disk, Path staged, Path target, long lengthBytes, OptionalLong crc32) {
    private static final Logger LOG = LoggerFactory.getLogger(LinkedFile.class);

    /** Gives the file its live name, unless it has that already. */
    void link() throws IOException {
        try {
            disk.link(target, staged);
        } catch (IOException e) {
            if (!isLinked()) {
                throw e;
            }
        }
    }

    /** Whether it was linked before a crash: a file of another content may have got the name against all rules. */
    private boolean isLinked() throws IOException {
        if (!disk.exists(target)) {
            return false;
        }
        return !disk.exists(staged) || isSame(disk, target, staged);
    }

    /**
     * Whether a live file is the staged one: by another name, or, in a data directory that was moved by a copy that
     * does not preserve hard links, a file of the same content.
     */
    static boolean isSame(Disk disk, Path live, Path staged) throws IOException {
        FileIdentity here = disk.identity(live);
        FileIdentity there = disk.identity(staged);
        long lengthBytes = here.lengthBytes();
        if (here.difference(there).isEmpty()) {
            return true;
        }
        if (lengthBytes != there.lengthBytes()) {
            return false;
        }
        LOG.info("{}: comparing its {} bytes with those of {}, which is another file", live, lengthBytes, staged);
        return disk.crc32(live, 0, lengthBytes) == disk.crc32(staged, 0, lengthBytes);
    }
}
