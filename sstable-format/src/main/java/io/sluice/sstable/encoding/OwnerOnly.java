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
 * Files and folders that nobody but their owner may read: data, journals, logs, tokens. On file systems without POSIX
 * permissions the system's default holds. Stateless.
 */
public final class OwnerOnly {
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> FOLDER = PosixFilePermissions.fromString("rwx------");
    private static final FileAttribute<?>[] NONE = {};

    private OwnerOnly() {}

    /** Makes a folder and those above it that are missing; those that are there stay as they are. */
    public static Path createDirectories(Path folder) throws IOException {
        return Files.createDirectories(folder, ofFolder(folder));
    }

    /** Makes a folder, which must not be there. */
    public static Path createDirectory(Path folder) throws IOException {
        return Files.createDirectory(folder, ofFolder(folder));
    }

    private static FileAttribute<?>[] ofFolder(Path folder) {
        return isPosix(folder) ? attribute(PosixFilePermissions.asFileAttribute(FOLDER)) : NONE;
    }

    /** Makes an empty file, which must not be there. */
    public static Path createFile(Path file) throws IOException {
        return Files.createFile(file, attributes(file));
    }

    /** Opens a file; one that {@code options} have it make is the owner's alone. */
    public static FileChannel open(Path file, OpenOption... options) throws IOException {
        return FileChannel.open(file, Set.of(options), attributes(file));
    }

    /**
     * Makes a file, which must not be there, that is as private as its folder: of the owner alone if the folder is,
     * else as the process's umask has it. What a user asked for in a folder of his own stays readable for those he
     * chose.
     */
    public static FileChannel createAsPrivateAsItsFolder(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        return FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                folder != null && isPrivate(folder) ? attributes(file) : NONE);
    }

    /** Takes from others what they may do with a file that is there; makes it, empty, if it is not. */
    public static void restrict(Path file) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            createFile(file);
        } else if (isPosix(file) && !isPrivate(file)) {
            Files.setPosixFilePermissions(file, Files.isDirectory(file) ? FOLDER : FILE);
        }
    }

    /** Whether nobody but the owner may do anything with it; also where permissions do not say. */
    public static boolean isPrivate(Path path) throws IOException {
        return !isPosix(path) || FOLDER.containsAll(Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS));
    }

    private static FileAttribute<?>[] attributes(Path file) {
        return isPosix(file) ? attribute(PosixFilePermissions.asFileAttribute(FILE)) : NONE;
    }

    private static FileAttribute<?>[] attribute(FileAttribute<?> one) {
        return new FileAttribute<?>[] {one};
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}
