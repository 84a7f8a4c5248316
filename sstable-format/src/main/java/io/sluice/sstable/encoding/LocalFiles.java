package io.sluice.sstable.encoding;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** The files of this machine; new ones are as private as their folder. Immutable. */
public record LocalFiles() implements OutputFiles {
    @Override
    public void createDirectories(Path directory) throws IOException {
        OwnerOnly.createDirectories(directory);
    }

    @Override
    public OutputFile create(Path file) throws IOException {
        return new FileOutput(OwnerOnly.createAsPrivateAsItsFolder(file));
    }

    private record FileOutput(FileChannel channel) implements OutputFile {
        @Override
        public int write(ByteBuffer bytes, long position) throws IOException {
            return channel.write(bytes, position);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    @Override
    public boolean exists(Path path) {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** The length of a file, of which a symbolic link is followed; empty if it is not there. */
    public OptionalLong length(Path path) throws IOException {
        if (isOfTheSystem(path)) { // no exception for a file that is not there, and one system call for one that is
            File file = path.toFile();
            long length = file.length();
            if (length > 0 || !file.exists()) {
                return length > 0 ? OptionalLong.of(length) : OptionalLong.empty();
            }
        }
        return Files.exists(path) ? OptionalLong.of(Files.size(path)) : OptionalLong.empty();
    }

    private static boolean isOfTheSystem(Path path) {
        return path.getFileSystem().equals(FileSystems.getDefault());
    }

    @Override
    public boolean isDirectory(Path path) {
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        if (!isDirectory(directory)) {
            if (exists(directory)) {
                throw new FileSystemException(
                        directory.toString(), null, "a file or a symbolic link (expected: a directory)");
            }
            return List.of();
        }
        try {
            return entries(directory);
        } catch (NoSuchFileException removedMeanwhile) {
            return List.of();
        }
    }

    /**
     * The entries of a directory, which may be a symbolic link to it, sorted.
     *
     * @throws IOException also if the disk fails while they are read, where the stream of {@link Files#list} throws an
     *     unchecked exception
     */
    public static List<Path> entries(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return sorted(entries);
        }
    }

    /**
     * A directory and all files and directories below it, sorted; links are not followed.
     *
     * @throws IOException also if the disk fails while they are read
     */
    public static List<Path> tree(Path directory) throws IOException {
        try (Stream<Path> tree = Files.walk(directory)) {
            return sorted(tree);
        }
    }

    static List<Path> sorted(Stream<Path> entries) throws IOException {
        try {
            return entries.sorted().toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public void syncFile(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            channel.force(true);
        }
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(Path path) throws IOException {
        // One system call. The other way first asks what it is, and knows why it fails.
        boolean isGone = isOfTheSystem(path) && path.toFile().delete();
        if (!isGone) {
            Files.deleteIfExists(path);
        }
    }
}
