package io.sluice.streaming.install;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What shows that a file is still the one that it was, without reading it. Immutable.
 *
 * @param inode null where the file system has none
 */
public record FileIdentity(
        long lengthBytes, Instant modified, @Nullable Object inode) {
    /** What is not as it was, in words; empty if all is. */
    public Optional<String> difference(FileIdentity now) {
        if (lengthBytes != now.lengthBytes) {
            return Optional.of("its length is " + now.lengthBytes + " (was: " + lengthBytes + ")");
        }
        if (!Objects.equals(inode, now.inode)) {
            return Optional.of("another file has its name");
        }
        return modified.equals(now.modified)
                ? Optional.empty()
                : Optional.of("it was written at " + now.modified + " (before: " + modified + ")");
    }
}
