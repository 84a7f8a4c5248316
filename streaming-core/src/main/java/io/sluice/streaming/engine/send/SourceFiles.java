package io.sluice.streaming.engine.send;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.FileIdentity;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.transfer.OfferedSSTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Which files were offered, as they were then: a link keeps a file from being removed, not from being written to.
 * Immutable once made; for any thread.
 */
final class SourceFiles {
    private final Disk files;
    private final Map<Path, FileIdentity> identities = new HashMap<>();

    /** Looks at {@code files}, none of which was offered yet. */
    SourceFiles(Disk files) {
        this.files = files;
    }

    /** Notes the files of what was just pinned. */
    void add(OfferedSSTable sstable) throws IOException {
        for (Path file : sstable.paths()) {
            identities.put(file, files.identity(file));
        }
    }

    /** After its last byte: why what was sent of {@code sstable} may not be what was pinned; empty if it is. */
    Optional<Failure> changed(OfferedSSTable sstable) {
        for (Path file : sstable.paths()) {
            FileIdentity before = identities.get(file);
            try {
                Optional<String> difference =
                        before == null ? Optional.empty() : before.difference(files.identity(file));
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
