package io.sluice.streaming.install;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * By what a commit file names the volumes of its set: by an id that lies on the volume, since a device may come back
 * under another path, and another device under this one. Stateless.
 */
final class VolumeId {
    /** In the root of staging. */
    static final String NAME = "volume";

    private static final String FIRST_LINE = "sluice-volume 1";
    private static final int MAX_LENGTH_BYTES = 4_096;

    private VolumeId() {}

    /**
     * The id of a volume.
     *
     * @param fresh for a volume that has none
     * @return empty if it has none, and is to have none
     * @throws IOException also if the id cannot be read: what waits for this volume would wait for ever
     */
    static Optional<UUID> open(Disk disk, Path root, Optional<Supplier<UUID>> fresh) throws IOException {
        Path file = root.resolve(NAME);
        if (disk.exists(file)) {
            try {
                return Optional.of(decode(disk.read(file, MAX_LENGTH_BYTES)));
            } catch (UnreadableLineException damaged) {
                throw new IOException(
                        file + ": " + damaged.getMessage() + ": restore it from a backup; or remove it, and sets of"
                                + " which a part lies here wait for ever",
                        damaged);
            }
        }
        if (fresh.isPresent()) {
            UUID id = fresh.get().get();
            disk.publish(file, SealedText.seal(FIRST_LINE + "\n" + id + "\n"));
            return Optional.of(id);
        }
        return Optional.empty();
    }

    /** @throws UnreadableLineException if the bytes are not one whole, undamaged id */
    static UUID decode(byte[] bytes) throws UnreadableLineException {
        String id = String.join(" ", SealedText.open(bytes, FIRST_LINE));
        try {
            return UUID.fromString(id);
        } catch (IllegalArgumentException malformed) {
            throw new UnreadableLineException(2, id, malformed);
        }
    }
}
