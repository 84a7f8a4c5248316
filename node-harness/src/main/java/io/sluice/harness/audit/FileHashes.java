package io.sluice.harness.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** SHA-256 of whole files, each file read once however many names it has. Thread-safe. */
final class FileHashes {
    private static final int BUFFER_BYTES = 1 << 20;

    private final Map<Object, String> known = new ConcurrentHashMap<>();

    /** The hash of a file that nobody writes to. */
    String of(Path file) throws IOException {
        Object inode = inode(file);
        String hash = inode == null ? null : known.get(inode);
        if (hash == null) {
            hash = sha256(file);
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
        MessageDigest sha;
        try {
            sha = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every Java platform has SHA-256", impossible);
        }
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        try (FileChannel channel = FileChannel.open(file)) {
            while (channel.read(buffer) >= 0) {
                sha.update(buffer.flip());
                buffer.clear();
            }
        }
        return HexFormat.of().formatHex(sha.digest());
    }
}
