package io.sluice.streaming.install;

import io.sluice.streaming.log.SystemError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The owner of a staging directory: a node must not finish the installs in a data directory that was copied from
 * another node. Stateless.
 */
final class Owner {
    private static final Logger LOG = LoggerFactory.getLogger(Owner.class);
    /** A text file with the id of the node. */
    static final String NAME = "node";

    private static final int MAX_LENGTH_BYTES = 4_096;

    private Owner() {}

    /** Whether {@code root} belongs to another node; a directory without an owner belongs to the caller. */
    static boolean isOfAnother(Disk disk, Path root, UUID nodeId) throws IOException {
        Path file = root.resolve(NAME);
        if (!disk.exists(file)) {
            return false;
        }
        // A corrupt id matches no node: the content is quarantined, and nothing is lost.
        return disk.size(file) > MAX_LENGTH_BYTES
                || !new String(disk.read(file, MAX_LENGTH_BYTES), StandardCharsets.UTF_8)
                        .strip()
                        .equals(nodeId.toString());
    }

    /** Makes {@code nodeId} the owner, durably; does nothing if it is already, or if a full disk has no owner. */
    static void claim(Disk disk, Path root, UUID nodeId) throws IOException {
        Path file = root.resolve(NAME);
        if (!disk.exists(file) || isOfAnother(disk, root, nodeId)) {
            try {
                disk.publish(file, (nodeId + "\n").getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                if (!SystemError.isFull(e)
                        || disk.exists(file)) { // by another owner the next start would quarantine all
                    throw e;
                }
                LOG.warn("{}: names its owner at the next start: {}", root, e.getMessage());
            }
        }
    }
}
