package io.sluice.streaming.install;

import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.encoding.LockedFile;
import io.sluice.sstable.encoding.OwnerOnly;
import io.sluice.sstable.encoding.PageAligned;
import io.sluice.streaming.guard.VirtualMachineErrors;
import java.io.Closeable;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The real disk. Thread-safe. */
public final class FileSystemDisk implements Disk {
    private static final Logger LOG = LoggerFactory.getLogger(FileSystemDisk.class);
    private static final int BUFFER_BYTES = 1 << 18;
    /** Smaller files are not worth a call. */
    private static final long LEAVES_CACHE_BYTES = 1 << 20;

    private final LocalFiles local = new LocalFiles();
    private final PageCache cache;

    /** A disk that leaves the page cache to the operating system. */
    public FileSystemDisk() {
        this(PageCache.KEEP);
    }

    /** A disk that drops streamed files from the page cache through {@code cache}. */
    public FileSystemDisk(PageCache cache) {
        this.cache = cache;
    }

    @Override
    public void leaveCache(Path file) throws IOException {
        if (cache != PageCache.KEEP && Files.size(file) >= LEAVES_CACHE_BYTES) {
            drop(file);
        }
    }

    /** Calls the database; a failure does not fail the transfer. */
    private void drop(Path file) {
        try {
            cache.drop(file);
        } catch (Throwable e) {
            LOG.warn("the database failed to drop {} from the page cache", file, e);
            VirtualMachineErrors fatal = new VirtualMachineErrors();
            fatal.note(e);
            fatal.handOn();
        }
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        local.createDirectories(directory);
    }

    @Override
    public DiskFile create(Path file) throws IOException {
        return new ChannelFile(OwnerOnly.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return new ChannelFile(FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
    }

    private record ChannelFile(FileChannel channel) implements DiskFile {
        @Override
        public int write(ByteBuffer bytes, long position) throws IOException {
            return channel.write(bytes, position);
        }

        @Override
        public void sync() throws IOException {
            channel.force(false);
        }

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    @Override
    public byte[] read(Path file, int maxLengthBytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            long length = channel.size();
            if (length > maxLengthBytes) {
                throw new IOException(file + ": " + length + " bytes (expected: at most " + maxLengthBytes + ")");
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) length);
            int read;
            do {
                read = channel.read(bytes);
            } while (read > 0); // until the buffer is full, or the file was truncated
            return Arrays.copyOf(bytes.array(), bytes.position());
        }
    }

    @Override
    public long crc32(Path file, long offset, long lengthBytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            return crc32(file, channel, offset, lengthBytes, false);
        }
    }

    @Override
    public long refresh(Path file, long offset, long lengthBytes) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            return crc32(file, channel, offset, lengthBytes, true);
        }
    }

    private static long crc32(Path file, FileChannel channel, long offset, long lengthBytes, boolean isRewritten)
            throws IOException {
        ByteBuffer buffer = PageAligned.allocate((int) Math.min(lengthBytes, BUFFER_BYTES));
        CRC32 crc = new CRC32();
        for (long done = 0; done < lengthBytes; done += buffer.limit()) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), lengthBytes - done));
            if (channel.read(buffer, offset + done) < 0) {
                throw new EOFException(file + ": ends before byte " + (offset + lengthBytes));
            }
            buffer.flip();
            crc.update(buffer);
            for (buffer.rewind(); isRewritten && buffer.hasRemaining(); ) {
                channel.write(buffer, offset + done + buffer.position());
            }
        }
        return crc.getValue();
    }

    @Override
    public boolean exists(Path path) {
        return local.exists(path);
    }

    @Override
    public boolean isDirectory(Path path) {
        return local.isDirectory(path);
    }

    @Override
    public long size(Path file) throws IOException {
        return Files.size(file);
    }

    @Override
    public long modifiedMillis(Path file) throws IOException {
        return Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toMillis();
    }

    @Override
    public FileIdentity identity(Path file) throws IOException {
        BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
        return new FileIdentity(now.size(), now.lastModifiedTime().toInstant(), now.fileKey());
    }

    @Override
    public long usableBytes(Path directory) throws IOException {
        return space(directory, File::getUsableSpace);
    }

    @Override
    public long volumeBytes(Path directory) throws IOException {
        return space(directory, File::getTotalSpace);
    }

    /** Uses one system call; a {@code FileStore} would read the list of all mounts each time. */
    private static long space(Path directory, ToLongFunction<File> question) throws IOException {
        long bytes = question.applyAsLong(directory.toFile());
        if (bytes == 0 && !Files.isDirectory(directory)) {
            throw new NoSuchFileException(directory.toString()); // distinguishes a missing directory from a full disk
        }
        return bytes;
    }

    @Override
    public Closeable lock(Path file) throws IOException {
        return LockedFile.of(file)
                .orElseThrow(
                        () -> new DirectoryInUseException(
                                file.resolveSibling(".").normalize()
                                        + ": in use by another process, or another node of this process (expected: one node on it)"));
    }

    @Override
    public void syncFile(Path file) throws IOException {
        local.syncFile(file);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        local.syncDirectory(directory);
    }

    @Override
    public void writeDurably(Path file, byte[] content) throws IOException {
        try (FileChannel channel = OwnerOnly.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    @Override
    public void link(Path newName, Path file) throws IOException {
        Files.createLink(newName, file);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        local.rename(from, to);
    }

    @Override
    public void delete(Path path) throws IOException {
        local.delete(path);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        return local.list(directory);
    }
}
