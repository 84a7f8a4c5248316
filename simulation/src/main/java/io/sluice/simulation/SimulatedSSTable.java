package io.sluice.simulation;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.mode.TransferMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.zip.CRC32;

/** A table file set that streaming takes for an SSTable: real lengths and checksums, simple rows. */
final class SimulatedSSTable {
    private static final int ROW_BYTES = 16;

    final Descriptor descriptor;
    final UUID tableId;
    final List<Row> rows;
    final Map<Component, byte[]> files = new EnumMap<>(Component.class);
    private final List<ComponentManifest> manifest = new ArrayList<>();
    final Path directory;
    int pins;
    boolean isObsolete;

    /** @param directory where its files lie, or will */
    SimulatedSSTable(Path directory, Descriptor descriptor, UUID tableId, List<Row> rows, SplittableRandom random) {
        this.directory = directory;
        this.descriptor = descriptor;
        this.tableId = tableId;
        this.rows = rows.stream().sorted(Comparator.comparingLong(Row::token)).toList();
        files.put(Component.STATISTICS, random(random, 20 + random.nextInt(40)));
        files.put(Component.FILTER, random(random, random.nextInt(30)));
        files.put(Component.INDEX, random(random, 1 + random.nextInt(700)));
        byte[] padding = random(random, random.nextInt(4) == 0 ? random.nextInt(4_000) : random.nextInt(100));
        ByteBuffer data = ByteBuffer.allocate(4 + rows.size() * ROW_BYTES + padding.length);
        data.putInt(rows.size());
        this.rows.forEach(
                row -> data.putLong(row.token()).putInt(row.timestamp()).putInt(row.value()));
        files.put(Component.DATA, data.put(padding).array());
        files.forEach((component, bytes) -> manifest.add(new ComponentManifest(component, bytes.length, crc(bytes))));
    }

    private static byte[] random(SplittableRandom random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static long crc(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return crc.getValue();
    }

    Token first() {
        return new Token(rows.get(0).token());
    }

    Token last() {
        return new Token(rows.get(rows.size() - 1).token());
    }

    long lengthBytes() {
        return files.values().stream().mapToLong(bytes -> bytes.length).sum();
    }

    SSTableOffer offer(int number) {
        ModeChoice choice = new ModeChoice(TransferMode.WHOLE, "all of it is wanted");
        return new SSTableOffer(number, tableId, descriptor, first(), last(), choice, manifest);
    }

    /** The rows of a data file. */
    static List<Row> rows(byte[] data) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(data);
        int count = data.length < 4 ? -1 : in.getInt();
        if (count < 1 || count > in.remaining() / ROW_BYTES) {
            throw new IOException("damaged data file: " + count + " rows in " + data.length + " bytes");
        }
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(new Row(in.getLong(), in.getInt(), in.getInt()));
        }
        return rows;
    }
}
