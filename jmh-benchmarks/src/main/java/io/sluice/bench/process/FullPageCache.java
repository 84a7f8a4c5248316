package io.sluice.bench.process;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Memory of a machine that has run for days: nearly none is free, since the page cache has taken it. The kernel gives
 * pages of the cache to whoever writes. A virtual machine that has just been started, or whose files have just been
 * deleted, is different: some kernels give free pages back to the host after seconds (free page reporting), and the
 * first write to each such page waits for the host, ten times as long as a write to one that is here.
 *
 * <p>Holds a file without blocks on disk, of the size of all memory, whose zeros take the place. Linux only; on other
 * systems, and where all folders are in memory, it does nothing. Not thread-safe.
 */
public final class FullPageCache implements Closeable {
    private static final Path MEMORY = Path.of("/proc/meminfo");
    static final long LEAST_FREE_BYTES = 256L << 20;
    static final int PIECE_BYTES = 4 << 20;
    private static final long KIB = 1 << 10;

    private final Optional<Path> file;
    private final FreeBytes free;

    /** Memory that nobody uses, not even for the page cache. */
    interface FreeBytes {
        long now() throws IOException;
    }

    private FullPageCache(Optional<Path> file, FreeBytes free) {
        this.file = file;
        this.free = free;
    }

    /**
     * Creates the file, and fills the cache.
     *
     * @param folder where it lies, if that is a folder of a disk; else among temporary files that are
     */
    public static FullPageCache in(Path folder) throws IOException {
        return in(folder, () -> bytes("MemFree"));
    }

    static FullPageCache in(Path folder, FreeBytes free) throws IOException {
        Optional<Path> disk = Files.exists(MEMORY) ? onDisk(folder) : Optional.empty();
        if (disk.isEmpty()) {
            return new FullPageCache(Optional.empty(), free);
        }
        Path file = Files.createTempFile(disk.get(), "page-cache", null);
        FullPageCache cache = new FullPageCache(Optional.of(file), free);
        try (RandomAccessFile empty = new RandomAccessFile(file.toFile(), "rw")) {
            empty.setLength(bytes("MemTotal"));
            cache.fill();
            return cache;
        } catch (IOException e) {
            cache.close();
            throw e;
        }
    }

    /**
     * Reads zeros until nearly no memory is free. To be called again after files were deleted or processes ended.
     *
     * @return how many bytes it read, part of which were in the cache
     */
    public long fill() throws IOException {
        if (file.isEmpty()) {
            return 0;
        }
        try (FileChannel zeros = FileChannel.open(file.get(), StandardOpenOption.READ)) {
            ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
            int length = 0;
            while (length >= 0 && free.now() > LEAST_FREE_BYTES) {
                length = zeros.read(piece.clear());
            }
            return zeros.position();
        }
    }

    private static long bytes(String name) throws IOException {
        try (Stream<String> lines = Files.lines(MEMORY)) {
            return lines.filter(line -> line.startsWith(name + ":"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * KIB)
                    .findFirst()
                    .orElseThrow(() -> new IOException(MEMORY + ": no line of " + name));
        }
    }

    /** A file in memory has no zeros in the page cache before they are written. */
    private static Optional<Path> onDisk(Path folder) throws IOException {
        for (Path one : List.of(folder, Path.of(System.getProperty("java.io.tmpdir")), Path.of("/var/tmp"))) {
            if (Files.isDirectory(one) && !Files.getFileStore(one).type().equals("tmpfs")) {
                return Optional.of(one);
            }
        }
        return Optional.empty();
    }

    /** Gives the memory back. */
    @Override
    public void close() throws IOException {
        if (file.isPresent()) {
            Files.deleteIfExists(file.get());
        }
    }
}
