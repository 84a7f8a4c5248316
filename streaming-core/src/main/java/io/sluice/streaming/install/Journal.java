package io.sluice.streaming.install;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The received extents of a set, so that an interrupted transfer can resume. Layout: the package's description.
 *
 * <p>Entries are checked against the files before they are trusted; losing them costs bytes on the wire, never
 * correctness. So entries are not synced when they are written, but when an SSTable is acknowledged.
 *
 * <p>Thread-safe.
 */
final class Journal implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

    static final String NAME = "journal";

    private static final String FIRST_WORD = "sluice-journal-1";
    private static final int MAX_LENGTH_BYTES = 256 << 20;

    private final DiskFile file;
    private long lengthBytes;

    private Journal(DiskFile file, long lengthBytes) {
        this.file = file;
        this.lengthBytes = lengthBytes;
    }

    /** One line of a journal. */
    sealed interface Entry {
        /** Files with this content are received under this name. */
        record Begun(Descriptor descriptor, SSTableFingerprint content) implements Entry {}

        /** An extent was written. */
        record Landed(Descriptor descriptor, Component component, long offset, int lengthBytes, long crc32)
                implements Entry {}
    }

    /** Creates a journal that begins with {@code entries}, and replaces an existing one. Durable when this returns. */
    static Journal begin(Disk disk, Path directory, UUID tableId, List<Entry> entries) throws IOException {
        StringBuilder text = new StringBuilder(line(FIRST_WORD + " " + tableId));
        entries.forEach(entry -> text.append(line(words(entry))));
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        Path path = directory.resolve(NAME);
        disk.publish(path, bytes);
        return new Journal(disk.open(path), bytes.length);
    }

    /**
     * The content of a journal.
     *
     * @param end why the entries end: the first line that is corrupt, torn, of another table, or unknown to this
     *     version
     */
    record Contents(List<Entry> entries, Optional<UnreadableLineException> end) {
        Contents {
            entries = List.copyOf(entries);
        }
    }

    /** Reads a journal up to the first unreadable line; no entries if there is no journal, or it is too long. */
    static Contents read(Disk disk, Path directory, UUID tableId) throws IOException {
        Path path = directory.resolve(NAME);
        if (!disk.exists(path)) {
            return new Contents(List.of(), Optional.empty());
        }
        long lengthBytes = disk.size(path);
        Contents contents = lengthBytes > MAX_LENGTH_BYTES // too long for a real journal
                ? new Contents(
                        List.of(),
                        Optional.of(new UnreadableLineException(
                                1, lengthBytes + " bytes in all", "at most " + MAX_LENGTH_BYTES)))
                : decode(disk.read(path, MAX_LENGTH_BYTES), tableId);
        contents.end()
                .ifPresent(end -> LOG.warn(
                        "{}: {}; ignoring the entries from there on, their extents are fetched again",
                        path,
                        end.getMessage()));
        return contents;
    }

    /** Decodes a journal. */
    static Contents decode(byte[] bytes, UUID tableId) {
        List<Entry> entries = new ArrayList<>();
        String text = new String(bytes, StandardCharsets.UTF_8);
        int number = 0;
        try {
            for (int start = 0; start < text.length() || number == 0; ) {
                int newline = text.indexOf('\n', start);
                int end = newline < 0 ? text.length() : newline + 1;
                String words = words(++number, text.substring(start, end));
                if (number == 1) {
                    requireFirst(words, tableId);
                } else {
                    entries.add(entry(number, words));
                }
                start = end;
            }
            return new Contents(entries, Optional.empty());
        } catch (UnreadableLineException unreadable) {
            return new Contents(entries, Optional.of(unreadable));
        }
    }

    /** The text before the checksum of a line. */
    private static String words(int number, String line) throws UnreadableLineException {
        String words = line.substring(0, Math.max(0, line.lastIndexOf(' ')));
        String whole = line(words);
        if (!line.equals(whole)) {
            throw new UnreadableLineException(number, line.strip(), whole.strip() + ", and a line feed");
        }
        return words;
    }

    private static void requireFirst(String words, UUID tableId) throws UnreadableLineException {
        if (!words.equals(FIRST_WORD + " " + tableId)) {
            throw new UnreadableLineException(1, words, FIRST_WORD + " " + tableId);
        }
    }

    void append(Entry entry) throws IOException {
        byte[] bytes = line(words(entry)).getBytes(StandardCharsets.UTF_8);
        synchronized (this) {
            file.writeFully(ByteBuffer.wrap(bytes), lengthBytes);
            lengthBytes += bytes.length;
        }
    }

    void sync() throws IOException {
        file.sync();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    private static String words(Entry entry) {
        if (entry instanceof Entry.Begun e) {
            return "sstable " + e.descriptor() + " " + e.content().encode();
        }
        Entry.Landed e = (Entry.Landed) entry;
        return "landed " + e.descriptor() + " " + e.component().fileName() + " " + e.offset() + " " + e.lengthBytes()
                + " " + hex(e.crc32());
    }

    private static Entry entry(int number, String line) throws UnreadableLineException {
        List<String> words = List.of(line.split(" "));
        try {
            Descriptor descriptor = SSTableFingerprint.descriptor(words.get(1));
            return switch (words.get(0)) {
                case "sstable" ->
                    new Entry.Begun(descriptor, SSTableFingerprint.decode(words.subList(2, words.size())));
                case "landed" ->
                    new Entry.Landed(
                            descriptor,
                            SSTableFingerprint.component(words.get(2)),
                            Long.parseLong(words.get(3)),
                            Integer.parseInt(words.get(4)),
                            Long.parseLong(words.get(5), 16));
                default -> throw new IllegalArgumentException("unknown to this version");
            };
        } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException malformed) {
            throw new UnreadableLineException(number, line, malformed);
        }
    }

    private static String line(String words) {
        CRC32 crc = new CRC32();
        crc.update(words.getBytes(StandardCharsets.UTF_8));
        return words + " " + hex(crc.getValue()) + "\n";
    }

    private static String hex(long crc32) {
        return HexFormat.of().toHexDigits(crc32, 2 * Integer.BYTES);
    }
}
