package io.sluice.netty.send;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.transfer.OfferedSSTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which files were offered, as they were then: a link keeps a file from being removed, not from being written to.
 * Immutable once made; for any thread.
 */
final class SourceFiles {
    private final Map<Path, Identity> identities = new HashMap<>();

    /** @param inode null where the file system has none */
    private record Identity(
            long lengthBytes, FileTime modified, @Nullable Object inode) {
        static Identity of(Path file) throws IOException {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            return new Identity(now.size(), now.lastModifiedTime(), now.fileKey());
        }

        /** What is not as it was, in words; empty if all is. */
        Optional<String> difference(Identity now) {
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

    /** Notes the files of what was just pinned. */
    void add(OfferedSSTable sstable) throws IOException {
        for (Path file : sstable.paths()) {
            identities.put(file, Identity.of(file));
        }
    }

    /** After its last byte: why what was sent of {@code sstable} may not be what was pinned; empty if it is. */
    Optional<Failure> changed(OfferedSSTable sstable) {
        for (Path file : sstable.paths()) {
            Identity before = identities.get(file);
            try {
                Optional<String> difference = before == null ? Optional.empty() : before.difference(Identity.of(file));
                if (difference.isPresent()) {
                    return Optional.of(failure(file, difference.get()));
                }
            } catch (IOException e) {
                return Optional.of(failure(file, "it cannot be looked at any more: " + e));
            }
        }
        return Optional.empty();
    }

    private static Failure failure(Path file, String what) {
        return new Failure(
                ErrorCode.SOURCE_CHANGED, file + " was changed while it was sent: " + what + "; it is sent again");
    }
}
