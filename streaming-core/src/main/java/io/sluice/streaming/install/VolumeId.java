package io.sluice.streaming.install;

import io.sluice.streaming.log.SystemError;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The id of a volume, stored on the volume. Commit files refer to volumes by it, because a device may be mounted under
 * another path, and another device under this one. Stateless.
 */
final class VolumeId {
    /** A file in the root of staging. */
    static final String NAME = "volume";

    private static final Logger LOG = LoggerFactory.getLogger(VolumeId.class);
    private static final String FIRST_LINE = "sluice-volume 1";
    private static final int MAX_LENGTH_BYTES = 4_096;

    private VolumeId() {}

    /**
     * Reads the id of a volume.
     *
     * @param fresh supplies an id for a volume without one
     * @return empty if it has none, and {@code fresh} is empty or the disk is full
     * @throws IOException also if the id is unreadable: sets that wait for this volume would wait forever
     */
    static Optional<UUID> open(Disk disk, Path root, Optional<Supplier<UUID>> fresh) throws IOException {
        Path file = root.resolve(NAME);
        if (disk.exists(file)) {
            try {
                return Optional.of(decode(disk.read(file, MAX_LENGTH_BYTES)));
            } catch (UnreadableLineException damaged) {
                throw new IOException(
                        file + ": " + damaged.getMessage()
                                + ": restore it from a backup, or remove it; sets with a part on this volume then"
                                + " wait forever",
                        damaged);
            }
        }
        if (fresh.isPresent()) {
            UUID id = fresh.get().get();
            try {
                disk.publish(file, SealedText.seal(FIRST_LINE + "\n" + id + "\n"));
                return Optional.of(id);
            } catch (IOException e) {
                if (!SystemError.isFull(e)) {
                    throw e;
                }
                LOG.warn("{}: gets its id, and receives data, at a start with free space: {}", root, e.getMessage());
            }
        }
        return Optional.empty();
    }

    /** @throws UnreadableLineException if the bytes are not a complete id with a correct checksum */
    static UUID decode(byte[] bytes) throws UnreadableLineException {
        String id = String.join(" ", SealedText.open(bytes, FIRST_LINE));
        try {
            return UUID.fromString(id);
        } catch (IllegalArgumentException malformed) {
            throw new UnreadableLineException(2, id, malformed);
        }
    }
}
