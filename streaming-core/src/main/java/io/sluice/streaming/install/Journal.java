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
import java.util.UUID;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a set has received so far, so that a transfer which breaks off can go on where it stopped. Layout: the package's
 * description.
 *
 * <p>A hint, not the truth: what it says is checked against the files before it is believed, and losing it costs bytes
 * on the wire, never correctness. So a record is not synced when it is written, but when an SSTable is acknowledged.
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

    /** One line. */
    sealed interface Entry {
        /** Files with this content land under this name. */
        record Begun(Descriptor descriptor, Content content) implements Entry {}

        /** These bytes were written. */
        record Landed(Descriptor descriptor, Component component, long offset, int lengthBytes, long crc32)
                implements Entry {}
    }

    /** A journal that begins with {@code entries}; what was there before is replaced. Durable when this returns. */
    static Journal begin(Disk disk, Path directory, UUID tableId, List<Entry> entries) throws IOException {
        StringBuilder text = new StringBuilder(line(FIRST_WORD + " " + tableId));
        entries.forEach(entry -> text.append(line(words(entry))));
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        Path path = directory.resolve(NAME);
        disk.publish(path, bytes);
        return new Journal(disk.open(path), bytes.length);
    }

    /**
     * What a journal says, up to the first line that is damaged or torn; nothing if it is of another table, or none.
     */
    static List<Entry> read(Disk disk, Path directory, UUID tableId) throws IOException {
        Path path = directory.resolve(NAME);
        if (!disk.exists(path) || disk.size(path) > MAX_LENGTH_BYTES) {
            return List.of(); // too long for any real one: a hint that nobody needs
        }
        return decode(disk.read(path, MAX_LENGTH_BYTES), tableId);
    }

    /** What a journal of these bytes says, as {@link #read}. */
    static List<Entry> decode(byte[] bytes, UUID tableId) {
        List<Entry> entries = new ArrayList<>();
        boolean isFirst = true;
        for (String line : new String(bytes, StandardCharsets.UTF_8).split("\n", -1)) {
            int end = line.lastIndexOf(' ');
            if (end < 0 || !(line + "\n").equals(line(line.substring(0, end)))) {
                break;
            }
            List<String> words = List.of(line.substring(0, end).split(" "));
            if (isFirst && !words.equals(List.of(FIRST_WORD, tableId.toString()))) {
                break;
            }
            if (!isFirst) {
                try {
                    entries.add(entry(words));
                } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
                    LOG.warn(
                            "journal of table {}: a line of another version, which is not understood: {}",
                            tableId,
                            line,
                            e);
                    break;
                }
            }
            isFirst = false;
        }
        return entries;
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

    private static Entry entry(List<String> words) throws IOException {
        Descriptor descriptor = Content.descriptor(words.get(1));
        if (words.get(0).equals("sstable")) {
            return new Entry.Begun(descriptor, Content.decode(words.subList(2, words.size())));
        }
        return new Entry.Landed(
                descriptor,
                Content.component(words.get(2)),
                Long.parseLong(words.get(3)),
                Integer.parseInt(words.get(4)),
                Long.parseLong(words.get(5), 16));
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
