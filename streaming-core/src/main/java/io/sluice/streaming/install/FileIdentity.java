package io.sluice.streaming.install;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Shows whether a file is unchanged, without reading it. Immutable.
 *
 * @param inode null if the file system has none
 */
public record FileIdentity(
        long lengthBytes, Instant modified, @Nullable Object inode) {
    /** Describes the difference to {@code now}; empty if there is none. */
    public Optional<String> difference(FileIdentity now) {
        if (lengthBytes != now.lengthBytes) {
            return Optional.of("its length is " + now.lengthBytes + " (was: " + lengthBytes + ")");
        }
        if (!Objects.equals(inode, now.inode)) {
            return Optional.of("it was replaced by another file");
        }
        return modified.equals(now.modified)
                ? Optional.empty()
                : Optional.of("it was written at " + now.modified + " (before: " + modified + ")");
    }
}
