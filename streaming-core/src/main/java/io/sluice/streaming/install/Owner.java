package io.sluice.streaming.install;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Whose staging directory it is: a data directory that was copied to another node must not have that one finish what
 * its original has begun. Stateless.
 */
final class Owner {
    /** A text file with the id of the node. */
    static final String NAME = "node";

    private static final int MAX_LENGTH_BYTES = 4_096;

    private Owner() {}

    /** Whether what lies in {@code root} is another node's; a directory that says nothing belongs to who asks. */
    static boolean isOfAnother(Disk disk, Path root, UUID nodeId) throws IOException {
        Path file = root.resolve(NAME);
        if (!disk.exists(file)) {
            return false;
        }
        // An id that was damaged is nobody's: what lies there is quarantined, and nothing of it lost.
        return disk.size(file) > MAX_LENGTH_BYTES
                || !new String(disk.read(file, MAX_LENGTH_BYTES), StandardCharsets.UTF_8)
                        .strip()
                        .equals(nodeId.toString());
    }

    /** Makes it that of {@code nodeId}, durably; does nothing if it is. */
    static void claim(Disk disk, Path root, UUID nodeId) throws IOException {
        Path file = root.resolve(NAME);
        if (!disk.exists(file) || isOfAnother(disk, root, nodeId)) {
            disk.publish(file, (nodeId + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }
}
