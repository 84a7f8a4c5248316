package io.sluice.harness.audit;

import com.google.common.hash.Hashing;
import com.google.common.io.MoreFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** SHA-256 of whole files, each file read once however many names it has. Thread-safe. */
final class FileHashes {
    private final Map<Object, String> known = new ConcurrentHashMap<>();
    private final AuditProgress progress;

    FileHashes(AuditProgress progress) {
        this.progress = progress;
    }

    /** The hash of a file that nobody writes to. */
    String of(Path file) throws IOException {
        Object inode = inode(file);
        String hash = inode == null ? null : known.get(inode);
        if (hash == null) {
            hash = sha256(file);
            progress.hashed(Files.size(file));
            if (inode != null) {
                known.put(inode, hash);
            }
        }
        return hash;
    }

    private static @Nullable Object inode(Path file) throws IOException {
        return Files.readAttributes(file, java.nio.file.attribute.BasicFileAttributes.class)
                .fileKey();
    }

    static String sha256(Path file) throws IOException {
        return MoreFiles.asByteSource(file).hash(Hashing.sha256()).toString();
    }
}
