package io.sluice.sstable.metadata;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.CRC32;

/**
 * Statistics.db: information about an SSTable that does not require reading its rows. Immutable.
 *
 * @param version determines the layout of STATS
 * @param validation properties that must match the reader's table
 * @param compaction the sketch of the keys, encoded; may be absent
 * @param stats of the content
 * @param header the serialization header, encoded; without it Data.db cannot be read
 */
public record Statistics(
        Version version, Validation validation, Optional<Bytes> compaction, Stats stats, Bytes header) {

    /** The only supported partitioner. */
    public static final String MURMUR3 = "org.apache.cassandra.dht.Murmur3Partitioner";

    private static final int ENTRY_BYTES = 2 * Integer.BYTES;
    private static final int VALIDATION = 0;
    private static final int COMPACTION = 1;
    private static final int STATS = 2;
    private static final int HEADER = 3;
    private static final int TYPES = 4;

    private record Entry(int type, int offset) {}

    /**
     * Properties that must match the reader's table.
     *
     * @param partitioner class name
     * @param filterChance the table's false-positive chance of the filter
     */
    public record Validation(String partitioner, double filterChance) {}

    /** A copy with other STATS. */
    public Statistics withStats(Stats other) {
        return new Statistics(version, validation, compaction, other, header);
    }

    /**
     * Reads a whole file.
     *
     * @throws SSTableException if a checksum does not match, the file is truncated;
     *     {@linkplain SSTableException#isUnsupported unsupported} if it is of another partitioner
     */
    public static Statistics read(Path file, Version version) throws IOException {
        ComponentInput in = ComponentInput.readAll(file);
        boolean hasSums = version.hasStatisticsChecksums();
        List<Entry> table = readTable(in, hasSums);
        Map<Integer, ComponentInput> components = new TreeMap<>();
        for (int i = 0; i < table.size(); i++) {
            Entry entry = table.get(i);
            long end = i + 1 < table.size() ? table.get(i + 1).offset() : in.length();
            if (entry.offset() != in.position()) {
                throw in.malformed("component " + entry.type() + " begins at " + entry.offset() + " (expected: here)");
            }
            Bytes body = in.readBytes(end - entry.offset() - (hasSums ? Integer.BYTES : 0));
            if (hasSums) {
                checkCrc(in, crcOf(body), "component " + entry.type());
            }
            components.put(entry.type(), ComponentInput.of(file, entry.offset(), body));
        }
        Validation validation = readValidation(required(components, VALIDATION, in));
        ComponentInput compaction = components.get(COMPACTION);
        Optional<Bytes> sketch = compaction == null ? Optional.empty() : Optional.of(compaction.readIntBytes());
        Stats stats = Stats.read(required(components, STATS, in), version);
        ComponentInput header = required(components, HEADER, in);
        return new Statistics(version, validation, sketch, stats, header.readBytes(header.remaining()));
    }

    private static List<Entry> readTable(ComponentInput in, boolean hasSums) throws IOException {
        int count = in.readInt();
        var crc = new CRC32();
        updateInt(crc, count);
        if (hasSums) {
            checkCrc(in, crc, "component count");
        }
        in.require("component count", count, 1, TYPES);
        var table = new ArrayList<Entry>(count);
        for (int i = 0; i < count; i++) {
            int type = in.readInt();
            int offset = in.readInt();
            updateInt(crc, type);
            updateInt(crc, offset);
            int least = i == 0 ? 0 : table.get(i - 1).type() + 1;
            in.require("component type", type, least, TYPES - 1);
            in.require("component offset", offset, 0, in.length());
            table.add(new Entry(type, offset));
        }
        if (hasSums) {
            checkCrc(in, crc, "table of components");
        }
        return table;
    }

    private static Validation readValidation(ComponentInput in) throws IOException {
        var validation = new Validation(in.readUtf(), in.readDouble());
        if (!validation.partitioner().equals(MURMUR3)) {
            throw SSTableException.unsupported(
                    in.file() + ": partitioner: " + validation.partitioner() + " (expected: " + MURMUR3 + ")");
        }
        return validation;
    }

    private static ComponentInput required(Map<Integer, ComponentInput> components, int type, ComponentInput in)
            throws SSTableException {
        ComponentInput component = components.get(type);
        if (component == null) {
            throw in.malformed("no component " + type + " (expected: one)");
        }
        return component;
    }

    private static void checkCrc(ComponentInput in, CRC32 crc, String of) throws IOException {
        long stored = in.readInt() & 0xffffffffL;
        if (stored != crc.getValue()) {
            throw in.malformed("CRC-32 of " + of + ": " + Long.toHexString(crc.getValue()) + " (expected: "
                    + Long.toHexString(stored) + ")");
        }
    }

    /** The content of the file. */
    public Bytes encode() {
        var validationBody = new GrowingBuffer();
        validationBody.putUtf(validation.partitioner()).putLong(Double.doubleToRawLongBits(validation.filterChance()));
        Map<Integer, Bytes> bodies = new TreeMap<>();
        bodies.put(VALIDATION, validationBody.toBytes());
        compaction.ifPresent(sketch -> bodies.put(
                COMPACTION,
                new GrowingBuffer().putInt(sketch.length()).put(sketch).toBytes()));
        bodies.put(STATS, stats.encode(version));
        bodies.put(HEADER, header);
        var out = new GrowingBuffer();
        boolean hasSums = version.hasStatisticsChecksums();
        writeTable(bodies, hasSums, out);
        for (Bytes body : bodies.values()) {
            out.put(body);
            if (hasSums) {
                out.putInt((int) crcOf(body).getValue());
            }
        }
        return out.toBytes();
    }

    /** Writes a new file. */
    public void write(Path file) throws IOException {
        ComponentOutput.write(file, encode());
    }

    private static void writeTable(Map<Integer, Bytes> bodies, boolean hasSums, GrowingBuffer out) {
        var crc = new CRC32();
        updateInt(crc, bodies.size());
        out.putInt(bodies.size());
        if (hasSums) {
            out.putInt((int) crc.getValue());
        }
        int sumBytes = hasSums ? Integer.BYTES : 0;
        int offset = Integer.BYTES + 2 * sumBytes + bodies.size() * ENTRY_BYTES;
        for (Map.Entry<Integer, Bytes> body : bodies.entrySet()) {
            int type = body.getKey();
            out.putInt(type).putInt(offset);
            updateInt(crc, type);
            updateInt(crc, offset);
            offset = Math.addExact(offset, body.getValue().length() + sumBytes);
        }
        if (hasSums) {
            out.putInt((int) crc.getValue());
        }
    }

    private static CRC32 crcOf(Bytes bytes) {
        var crc = new CRC32();
        bytes.addTo(crc);
        return crc;
    }

    private static void updateInt(CRC32 crc, int value) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            crc.update(value >>> shift);
        }
    }
}
