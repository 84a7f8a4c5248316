package io.sluice.harness.admin;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.sstable.encoding.OwnerOnly;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * What whoever asks an admin endpoint must know: 256 random bits, in a file that only its owner may read. Immutable.
 *
 * @param text in hexadecimal digits; a secret
 */
public record AdminToken(String text) {
    private static final int BYTES = 32;
    private static final Pattern TEXT = Pattern.compile("[0-9a-f]{" + 2 * BYTES + "}");

    /** @throws IllegalArgumentException if it is not such a text; the message does not say what it is */
    public AdminToken {
        if (!TEXT.matcher(text).matches()) {
            throw new IllegalArgumentException("not an admin token (expected: " + 2 * BYTES + " hexadecimal digits)");
        }
    }

    /** The file of a run's token in its work directory. */
    public static Path file(Path workDirectory) {
        return workDirectory.resolve("admin.token");
    }

    /** Makes a new one and writes it into {@code file}, in place of what is there. */
    public static AdminToken create(Path file) throws IOException {
        AdminToken token = random();
        Path temporary = token.writeBeside(file);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        return token;
    }

    /** What is in {@code file}; makes it if it is not there. Of several who do so at once all have the same. */
    public static AdminToken readOrCreate(Path file) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            AdminToken token = random();
            Path temporary = token.writeBeside(file);
            try {
                Files.createLink(file, temporary); // not a move: that would replace what another has just written
                return token;
            } catch (FileAlreadyExistsException another) {
                return read(file);
            } finally {
                Files.delete(temporary);
            }
        }
        return read(file);
    }

    /**
     * Reads a file that {@link #create} made.
     *
     * @throws IOException also if others may read it: then it is no secret
     */
    public static AdminToken read(Path file) throws IOException {
        byte[] content;
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            content = in.readNBytes(2 * BYTES + 2);
        } catch (NoSuchFileException e) {
            throw new IOException(file + ": no such file (expected: the token of a node's admin endpoint)", e);
        }
        if (!OwnerOnly.isPrivate(file)) {
            throw new IOException(file + ": others may read it, so it is no secret (expected: mode 0600, by"
                    + " chmod 600; and another token for all who use this one, if somebody may have read it)");
        }
        try {
            return new AdminToken(new String(content, US_ASCII).strip());
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /** Whether {@code other} is the same, in a time that does not say how much of it is. */
    public boolean is(String other) {
        return MessageDigest.isEqual(text.getBytes(US_ASCII), other.getBytes(US_ASCII));
    }

    private static AdminToken random() {
        byte[] bits = new byte[BYTES];
        new SecureRandom().nextBytes(bits);
        return new AdminToken(HexFormat.of().formatHex(bits));
    }

    private Path writeBeside(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            OwnerOnly.createDirectories(folder);
        }
        Path temporary =
                file.resolveSibling(file.getFileName() + "." + random().text().substring(0, 16));
        try (FileChannel out = OwnerOnly.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = US_ASCII.encode(text + "\n");
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
        }
        return temporary;
    }

    /** Says nothing of it. */
    @Override
    public String toString() {
        return "AdminToken[secret]";
    }
}
