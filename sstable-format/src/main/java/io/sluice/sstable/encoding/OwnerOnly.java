package io.sluice.sstable.encoding;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Creates files and folders that only their owner may read: data, journals, logs, tokens. On file systems without POSIX
 * permissions the system's default applies. Stateless.
 */
public final class OwnerOnly {
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> FOLDER = PosixFilePermissions.fromString("rwx------");
    private static final FileAttribute<?> OF_FILE = PosixFilePermissions.asFileAttribute(FILE);
    private static final FileAttribute<?>[] NONE = {};

    private OwnerOnly() {}

    /** Creates a folder and its missing parents; existing folders are not changed. */
    public static Path createDirectories(Path folder) throws IOException {
        return Files.createDirectories(folder, ofFolder(folder));
    }

    /** Creates a folder, which must not exist. */
    public static Path createDirectory(Path folder) throws IOException {
        return Files.createDirectory(folder, ofFolder(folder));
    }

    private static FileAttribute<?>[] ofFolder(Path folder) {
        return isPosix(folder) ? attribute(PosixFilePermissions.asFileAttribute(FOLDER)) : NONE;
    }

    /** Creates an empty file, which must not exist. */
    public static Path createFile(Path file) throws IOException {
        return Files.createFile(file, attributes(file));
    }

    /** Opens a file; a file that this creates is readable by its owner only. */
    public static FileChannel open(Path file, OpenOption... options) throws IOException {
        return FileChannel.open(file, Set.of(options), attributes(file));
    }

    /**
     * Creates a file, which must not exist, as private as its folder: for the owner only if the folder is, otherwise by
     * the process's umask, so that output in a user's folder keeps the permissions that the user chose.
     */
    static FileChannel createAsPrivateAsItsFolder(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        return FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                folder != null && isPrivate(folder) ? attributes(file) : NONE);
    }

    /** Removes the permissions of others from a file; creates it, empty, if it does not exist. */
    public static void restrict(Path file) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            createFile(file);
        } else if (isPosix(file) && !isPrivate(file)) {
            Files.setPosixFilePermissions(file, Files.isDirectory(file) ? FOLDER : FILE);
        }
    }

    /** Whether only the owner has permissions; also true on file systems without permissions. */
    public static boolean isPrivate(Path path) throws IOException {
        return !isPosix(path) || FOLDER.containsAll(Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS));
    }

    private static FileAttribute<?>[] attributes(Path file) {
        return isPosix(file) ? attribute(OF_FILE) : NONE;
    }

    private static FileAttribute<?>[] attribute(FileAttribute<?> one) {
        return new FileAttribute<?>[] {one};
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}
