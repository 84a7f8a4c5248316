package io.sluice.streaming.install;

import io.sluice.sstable.component.Descriptor;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.AttachedFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;

/** Unpacks {@link io.sluice.sstable.component.Component#ATTACHED}. Confined to one call. */
final class UnpackedFiles {
    private static final int BUFFER_BYTES = 256 << 10;

    private final Disk disk;
    private final Path attached;
    private final FileChannel in;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    private long at;

    private UnpackedFiles(Disk disk, Path attached, FileChannel in) {
        this.disk = disk;
        this.attached = attached;
        this.in = in;
    }

    /** See {@link ReceivedSSTableCheck#unpack}. */
    static AttachedFiles make(Disk disk, Path attached, Path directory, Descriptor descriptor) throws IOException {
        try (FileChannel in = FileChannel.open(attached, StandardOpenOption.READ)) {
            UnpackedFiles unpacked = new UnpackedFiles(disk, attached, in);
            AttachedFiles files = unpacked.header();
            for (AttachedFiles.Entry entry : files.files()) {
                disk.delete(directory.resolve(descriptor.fileName(entry.file()))); // of an earlier attempt
            }
            // After the last deletion: where case does not count, one of two names would delete the file of the other.
            for (AttachedFiles.Entry entry : files.files()) {
                unpacked.make(entry, directory.resolve(descriptor.fileName(entry.file())));
            }
            return files;
        }
    }

    private AttachedFiles header() throws IOException {
        try {
            byte[] first = bytes(Integer.BYTES);
            at = 0;
            AttachedFiles files = AttachedFiles.decode(
                    bytes(AttachedFiles.headerBytes(ByteBuffer.wrap(first).getInt())));
            if (files.lengthBytes() != in.size()) {
                throw malformed(in.size() + " bytes (expected: " + files.lengthBytes() + " by its header)");
            }
            return files;
        } catch (IllegalArgumentException malformed) {
            throw malformed(String.valueOf(malformed.getMessage()));
        }
    }

    private byte[] bytes(int count) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(count);
        while (bytes.hasRemaining()) {
            read(bytes);
        }
        return bytes.array();
    }

    private void read(ByteBuffer into) throws IOException {
        int count = in.read(into, at);
        if (count < 0) {
            throw malformed("ends after " + at + " bytes (expected: more)");
        }
        at += count;
    }

    private void make(AttachedFiles.Entry entry, Path file) throws IOException {
        CRC32 crc = new CRC32();
        try (DiskFile out = disk.create(file)) {
            for (long done = 0; done < entry.lengthBytes(); ) {
                buffer.clear().limit((int) Math.min(buffer.capacity(), entry.lengthBytes() - done));
                read(buffer);
                buffer.flip();
                crc.update(buffer.duplicate());
                int count = buffer.remaining();
                out.writeFully(buffer, done);
                done += count;
            }
            out.sync();
        }
        if (crc.getValue() != entry.crc32()) {
            throw malformed(String.format(
                    "CRC-32 of %s is %08x (expected: %08x)", entry.file(), crc.getValue(), entry.crc32()));
        }
    }

    /** The failure for a malformed file, which has the offered checksum. */
    private StreamException malformed(String problem) {
        return new StreamException(
                ErrorCode.CORRUPT_AT_SOURCE,
                attached.getFileName() + ": " + problem + "; verify the SSTable at the source, and repair the table");
    }
}
