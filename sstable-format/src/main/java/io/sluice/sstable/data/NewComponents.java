package io.sluice.sstable.data;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.token.Murmur3;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.zip.CRC32;

/**
 * The files of an SSTable that is being written. They have temporary names, which every store removes at its start,
 * until {@link #install} renames them. Not thread-safe: confined to its writer, who closes it.
 */
final class NewComponents implements Closeable {
    private static final String TEMPORARY = ".tmp";
    private static final int CRC_CHUNK_BYTES = 1 << 16;
    private static final int INDEX_BUFFER_BYTES = 1 << 16;

    private final Path directory;
    private final Descriptor descriptor;
    private final WriterOptions options;
    private final Map<Component, FileChannel> files = new EnumMap<>(Component.class);
    private final GrowingBuffer index = new GrowingBuffer();
    private final GrowingBuffer crcs = new GrowingBuffer();
    private final CRC32 digest = new CRC32();
    private final CRC32 chunkCrc = new CRC32();
    private final FilterBuilder filter;
    private final SummaryBuilder summary;
    private long dataLength;
    private long indexLength;
    private boolean isInstalled;

    NewComponents(Path directory, Descriptor descriptor, WriterOptions options) throws IOException {
        this.directory = directory;
        this.descriptor = descriptor;
        this.options = options;
        this.filter = new FilterBuilder(options.filterChance());
        this.summary = new SummaryBuilder(options.minIndexInterval());
        crcs.putInt(CRC_CHUNK_BYTES);
        Path data = directory.resolve(descriptor.fileName(Component.DATA));
        if (Files.exists(data)) { // the renaming at the end would replace it silently
            throw new FileAlreadyExistsException(data.toString());
        }
        open(Component.DATA);
        open(Component.INDEX);
    }

    /** Uncompressed bytes of Data.db. */
    long dataLength() {
        return dataLength;
    }

    void writeData(ByteBuffer bytes) throws IOException {
        digest.update(bytes.duplicate());
        for (ByteBuffer rest = bytes.duplicate(); rest.hasRemaining(); ) {
            int room = CRC_CHUNK_BYTES - (int) (dataLength % CRC_CHUNK_BYTES);
            int taken = Math.min(room, rest.remaining());
            chunkCrc.update(rest.duplicate().limit(rest.position() + taken));
            rest.position(rest.position() + taken);
            dataLength += taken;
            if (taken == room) {
                endChunk();
            }
        }
        writeFully(Component.DATA, bytes);
    }

    private void endChunk() {
        crcs.putInt((int) chunkCrc.getValue());
        chunkCrc.reset();
    }

    void addIndexEntry(Bytes key, long position, GrowingBuffer promoted) throws IOException {
        filter.add(Murmur3.of(key.toArray()));
        summary.add(key, indexLength + index.length());
        index.putShortBytes(key).putUnsignedVInt(position).putUnsignedVInt(promoted.length());
        index.put(promoted);
        if (index.length() >= INDEX_BUFFER_BYTES) {
            flushIndex();
        }
    }

    private void flushIndex() throws IOException {
        indexLength += index.length();
        writeFully(Component.INDEX, index.written());
        index.clear();
    }

    /** Writes Statistics.db: validation, statistics, header. The sketch of keys is left out; readers do without. */
    void writeStatistics(SerializationHeader header, ContentStatistics content) throws IOException {
        GrowingBuffer validation = new GrowingBuffer();
        validation.putShortBytes(Bytes.utf8("org.apache.cassandra.dht.Murmur3Partitioner"));
        validation.putLong(Double.doubleToRawLongBits(options.filterChance()));
        Map<Integer, Bytes> components =
                new TreeMap<>(Map.of(0, validation.toBytes(), 2, content.toBytes(-1.0), 3, header.toBytes()));
        GrowingBuffer table = new GrowingBuffer();
        int offset = Integer.BYTES * (2 + 2 * components.size() + 1);
        for (Map.Entry<Integer, Bytes> component : components.entrySet()) {
            table.putInt(component.getKey()).putInt(offset);
            offset += component.getValue().length() + Integer.BYTES;
        }
        GrowingBuffer out = new GrowingBuffer();
        CRC32 crc = new CRC32();
        out.putInt(components.size());
        crc.update(out.written());
        out.putInt((int) crc.getValue()).put(table);
        crc.update(table.written());
        out.putInt((int) crc.getValue());
        for (Bytes component : components.values()) {
            crc.reset();
            crc.update(component.asBuffer());
            out.put(component).putInt((int) crc.getValue());
        }
        write(Component.STATISTICS, out.written());
    }

    /** Completes all files, makes them durable, and gives them their names, the table of contents last. */
    void install() throws IOException {
        flushIndex();
        if (dataLength % CRC_CHUNK_BYTES != 0) {
            endChunk();
        }
        write(Component.CRC, crcs.written());
        write(Component.DIGEST, ascii(Long.toString(digest.getValue())));
        write(Component.SUMMARY, summary.build().written());
        if (options.filterChance() < 1) {
            write(Component.FILTER, filter.build());
        }
        StringBuilder names = new StringBuilder();
        files.keySet().forEach(component -> names.append(component.fileName()).append('\n'));
        write(
                Component.TOC,
                ascii(names.append(Component.TOC.fileName()).append('\n').toString()));
        for (FileChannel file : files.values()) {
            file.force(true);
        }
        for (Component component : files.keySet()) { // in the order of the enum, TOC last
            Files.move(
                    temporary(component),
                    directory.resolve(descriptor.fileName(component)),
                    StandardCopyOption.ATOMIC_MOVE);
        }
        try (FileChannel folder = FileChannel.open(directory)) {
            folder.force(true);
        }
        isInstalled = true;
    }

    private static ByteBuffer ascii(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private Path temporary(Component component) {
        return directory.resolve(descriptor.fileName(component) + TEMPORARY);
    }

    private void open(Component component) throws IOException {
        files.put(
                component,
                FileChannel.open(temporary(component), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    }

    private void write(Component component, ByteBuffer bytes) throws IOException {
        open(component);
        writeFully(component, bytes);
    }

    private void writeFully(Component component, ByteBuffer bytes) throws IOException {
        FileChannel file = Objects.requireNonNull(files.get(component));
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
    }

    @Override
    public void close() throws IOException {
        for (FileChannel file : files.values()) {
            file.close();
        }
        if (!isInstalled) {
            for (Component component : files.keySet()) {
                Files.deleteIfExists(temporary(component));
                Files.deleteIfExists(directory.resolve(descriptor.fileName(component)));
            }
        }
    }
}
