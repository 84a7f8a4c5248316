package io.sluice.streaming.message;

import io.sluice.sstable.component.AttachedFile;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.zip.CRC32;

/**
 * The header of {@link io.sluice.sstable.component.Component#ATTACHED}: lists the attached files that follow it, one
 * after the other, and the secondary indexes whose files are not sent. Immutable.
 *
 * <pre>
 * offset  size  field, big-endian                       limits
 *      0     4  length n of the fields up to the CRC    8 .. 1 MiB
 *      4     4  count of files                          0 .. 4,096
 *               of each: u8 length of its name, name    a name of AttachedFile, each once
 *               i64 length of the file, i32 its CRC-32  0 .. 2^44
 *               i32 count of indexes                    0 .. 1,000
 *               of each: u8 length of its name, name    1 .. 200 letters, digits and _
 *  4 + n     4  CRC-32 of all above
 *  8 + n        the files
 * </pre>
 *
 * @param files in the order of their contents
 * @param indexes indexes of the source whose files are not sent: the receiver's database builds them
 */
public record AttachedFiles(List<Entry> files, SortedSet<String> indexes) {
    /** The maximum length of a header, with its length field and checksum. */
    public static final int MAX_HEADER_BYTES = 1 << 20;

    private static final int MAX_FILES = 4096;
    private static final int MAX_INDEXES = 1000;
    private static final int FRAME_BYTES = 2 * Integer.BYTES;
    private static final int ENTRY_BYTES = 1 + Long.BYTES + Integer.BYTES;
    private static final int MIN_LENGTH = 2 * Integer.BYTES;

    /**
     * One of the files.
     *
     * @param lengthBytes 0 to 2^44 (16 TiB)
     * @param crc32 of its content, as an unsigned number
     */
    public record Entry(AttachedFile file, long lengthBytes, long crc32) {
        public Entry {
            if (lengthBytes < 0 || lengthBytes > ComponentManifest.MAX_LENGTH_BYTES) {
                throw new IllegalArgumentException(file + ": length " + lengthBytes + " (expected: 0 to "
                        + ComponentManifest.MAX_LENGTH_BYTES + ")");
            }
        }
    }

    public AttachedFiles {
        files = List.copyOf(files);
        indexes = java.util.Collections.unmodifiableSortedSet(new TreeSet<>(indexes));
        require("files", files.size(), MAX_FILES);
        require("indexes", indexes.size(), MAX_INDEXES);
        Set<AttachedFile> names = new HashSet<>();
        for (Entry entry : files) {
            if (!names.add(entry.file())) {
                throw new IllegalArgumentException(entry.file() + " twice");
            }
        }
        for (String index : indexes) {
            if (!index.matches("[A-Za-z0-9_]{1,200}")) {
                throw new IllegalArgumentException(
                        "index '" + index + "' (expected: letters, digits and _, at most 200)");
            }
        }
        int bytes = headerBytes(files, indexes);
        if (bytes > MAX_HEADER_BYTES) {
            throw new IllegalArgumentException(
                    "length of a header: " + bytes + " bytes (expected: at most " + MAX_HEADER_BYTES + ")");
        }
    }

    private static int require(String what, int count, int most) {
        if (count < 0 || count > most) {
            throw new IllegalArgumentException(what + ": " + count + " (expected: 0 to " + most + ")");
        }
        return count;
    }

    /** Length of the header and of the files. */
    public long lengthBytes() {
        return headerBytes() + files.stream().mapToLong(Entry::lengthBytes).sum();
    }

    /** The length of the result of {@link #encode}. */
    public int headerBytes() {
        return headerBytes(files, indexes);
    }

    private static int headerBytes(List<Entry> files, SortedSet<String> indexes) {
        int bytes = FRAME_BYTES + MIN_LENGTH;
        for (Entry entry : files) {
            bytes += ENTRY_BYTES + entry.file().name().length();
        }
        for (String index : indexes) {
            bytes += 1 + index.length();
        }
        return bytes;
    }

    /** Encodes the header. */
    public byte[] encode() {
        ByteBuffer out = ByteBuffer.allocate(headerBytes());
        out.putInt(out.capacity() - FRAME_BYTES).putInt(files.size());
        for (Entry entry : files) {
            putName(out, entry.file().name());
            out.putLong(entry.lengthBytes()).putInt((int) entry.crc32());
        }
        out.putInt(indexes.size());
        indexes.forEach(index -> putName(out, index));
        CRC32 crc = new CRC32();
        crc.update(out.array(), 0, out.position());
        return out.putInt((int) crc.getValue()).array();
    }

    private static void putName(ByteBuffer out, String name) {
        out.put((byte) name.length()).put(name.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * The total length of a header that begins with these four bytes.
     *
     * @throws IllegalArgumentException if the length is out of range
     */
    public static int headerBytes(int firstFour) {
        if (firstFour < MIN_LENGTH || firstFour > MAX_HEADER_BYTES - FRAME_BYTES) {
            throw new IllegalArgumentException("length of a header: " + firstFour + " (expected: " + MIN_LENGTH + " to "
                    + (MAX_HEADER_BYTES - FRAME_BYTES) + ")");
        }
        return firstFour + FRAME_BYTES;
    }

    /**
     * The opposite of {@link #encode}.
     *
     * @throws IllegalArgumentException if the bytes are not a valid header
     */
    public static AttachedFiles decode(byte[] header) {
        ByteBuffer in = ByteBuffer.wrap(header);
        CRC32 crc = new CRC32();
        crc.update(header, 0, Math.max(0, header.length - Integer.BYTES));
        try {
            int length = headerBytes(in.getInt());
            if (length != header.length || in.getInt(length - Integer.BYTES) != (int) crc.getValue()) {
                throw new IllegalArgumentException("the checksum of the header is wrong");
            }
            List<Entry> files = new ArrayList<>();
            for (int left = require("files", in.getInt(), MAX_FILES); left > 0; left--) {
                files.add(new Entry(new AttachedFile(name(in)), in.getLong(), in.getInt() & 0xffffffffL));
            }
            SortedSet<String> indexes = new TreeSet<>();
            for (int left = require("indexes", in.getInt(), MAX_INDEXES); left > 0; left--) {
                indexes.add(name(in));
            }
            if (in.remaining() != Integer.BYTES) {
                throw new IllegalArgumentException(in.remaining() - Integer.BYTES + " bytes after the last index");
            }
            return new AttachedFiles(files, indexes);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("the header ends after " + header.length + " bytes", e);
        }
    }

    private static String name(ByteBuffer in) {
        byte[] name = new byte[in.get() & 0xff];
        in.get(name);
        return new String(name, StandardCharsets.US_ASCII);
    }
}
