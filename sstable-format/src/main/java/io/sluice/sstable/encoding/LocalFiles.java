package io.sluice.sstable.encoding;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
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

    @Override
    public boolean isDirectory(Path path) {
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        if (!isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
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
        if (!path.toFile().delete()) { // one system call; the other way asks first what it is, and knows why it fails
            Files.deleteIfExists(path);
        }
    }
}
