package io.sluice.streaming.transfer;

import io.sluice.sstable.encoding.OutputFile;
import io.sluice.sstable.encoding.OutputFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32;

/**
 * Computes the CRC-32 of new files while they are written from their start to their end, so that they need not be read
 * for it. Thread-safe for different files.
 */
final class SummedFiles implements OutputFiles {
    private final OutputFiles files;
    private final Map<Path, Summed> created = new ConcurrentHashMap<>();

    SummedFiles(OutputFiles files) {
        this.files = files;
    }

    /** A file and the checksum of what was written; confined to its writer, and then to the reader of its checksum. */
    private static final class Summed implements OutputFile {
        private final OutputFile file;
        private final CRC32 crc = new CRC32();
        private long summedBytes;
        private boolean isInOrder = true;

        Summed(OutputFile file) {
            this.file = file;
        }

        @Override
        public int write(ByteBuffer bytes, long position) throws IOException {
            ByteBuffer written = bytes.duplicate();
            int count = file.write(bytes, position);
            isInOrder &= position == summedBytes;
            crc.update(written.limit(written.position() + count));
            summedBytes += count;
            return count;
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    /**
     * The CRC-32 of a file that was created here, and written by a thread that has ended its work; empty if it was
     * created elsewhere, or bytes of it were replaced.
     */
    OptionalLong crc32(Path file) {
        Summed summed = created.get(file);
        return summed == null || !summed.isInOrder ? OptionalLong.empty() : OptionalLong.of(summed.crc.getValue());
    }

    @Override
    public OutputFile create(Path file) throws IOException {
        Summed summed = new Summed(files.create(file));
        created.put(file, summed);
        return summed;
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        files.rename(from, to);
        Summed summed = created.remove(from);
        if (summed == null) {
            created.remove(to);
        } else {
            created.put(to, summed);
        }
    }

    @Override
    public void delete(Path path) throws IOException {
        files.delete(path);
        created.remove(path);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        files.createDirectories(directory);
    }

    @Override
    public boolean exists(Path path) {
        return files.exists(path);
    }

    @Override
    public boolean isDirectory(Path path) {
        return files.isDirectory(path);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        return files.list(directory);
    }

    @Override
    public void syncFile(Path file) throws IOException {
        files.syncFile(file);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        files.syncDirectory(directory);
    }
}
