package io.sluice.simulation;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.transfer.SourceRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.zip.CRC32;

/** A set of files that streaming treats as an SSTable: real lengths and checksums, simple rows. */
final class SimulatedSSTable {
    private static final int COUNT_BYTES = 4;
    private static final int ROW_BYTES = 16;

    final Descriptor descriptor;
    final UUID tableId;
    final List<SimulatedRow> rows;
    final Map<Component, byte[]> files = new EnumMap<>(Component.class);
    private final List<ComponentManifest> manifest;
    final Path directory;
    int pins;
    boolean isObsolete;

    /** @param directory of its files */
    SimulatedSSTable(
            Path directory, Descriptor descriptor, UUID tableId, List<SimulatedRow> rows, SplittableRandom random) {
        this.directory = directory;
        this.descriptor = descriptor;
        this.tableId = tableId;
        this.rows = rows.stream()
                .sorted(Comparator.comparingLong(SimulatedRow::token))
                .toList();
        files.put(Component.STATISTICS, random(random, 20 + random.nextInt(40)));
        files.put(Component.FILTER, random(random, random.nextInt(30)));
        files.put(Component.INDEX, random(random, 1 + random.nextInt(700)));
        byte[] padding = random(random, random.nextInt(4) == 0 ? random.nextInt(4_000) : random.nextInt(100));
        byte[] plain = rowBytes(this.rows);
        byte[] data = Arrays.copyOf(plain, plain.length + padding.length);
        System.arraycopy(padding, 0, data, plain.length, padding.length);
        files.put(Component.DATA, data);
        this.manifest = files.entrySet().stream()
                .map(file -> new ComponentManifest(file.getKey(), file.getValue().length, crc(file.getValue())))
                .toList();
    }

    /** The SSTable that a receiver writes from rows: the same each time. */
    static SimulatedSSTable ofRows(Path directory, Descriptor descriptor, UUID tableId, List<SimulatedRow> rows) {
        return new SimulatedSSTable(directory, descriptor, tableId, rows, new SplittableRandom(rows.hashCode()));
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
        return offer(number, TransferMode.WHOLE);
    }

    SSTableOffer offer(int number, TransferMode mode) {
        return new SSTableOffer(number, tableId, descriptor, first(), last(), choice(mode), manifest);
    }

    /** An offer of some of its rows, which make up {@code part}. */
    SSTableOffer offerRows(int number, byte[] part) {
        var only = new ComponentManifest(Component.PART, part.length, crc(part));
        return new SSTableOffer(number, tableId, descriptor, first(), last(), choice(TransferMode.ROWS), List.of(only));
    }

    private static ModeChoice choice(TransferMode mode) {
        return new ModeChoice(mode, "the seed has drawn it");
    }

    List<ComponentManifest> content() {
        return manifest;
    }

    /**
     * An SSTable of some of its rows, the same each time it is made from the same rows.
     *
     * @param where the folder of its files
     */
    SimulatedSSTable part(Path where, List<SimulatedRow> some) {
        return ofRows(where, descriptor, tableId, some);
    }

    /**
     * Its rows in {@code ranges}, consecutive rows grouped together: no group if there are none, one if all are wanted.
     */
    List<List<SimulatedRow>> runs(TokenRanges ranges) {
        List<List<SimulatedRow>> runs = new ArrayList<>();
        boolean wasWanted = false;
        for (SimulatedRow row : rows) {
            boolean isWanted = ranges.contains(new Token(row.token()));
            if (isWanted && !wasWanted) {
                runs.add(new ArrayList<>());
            }
            if (isWanted) {
                runs.get(runs.size() - 1).add(row);
            }
            wasWanted = isWanted;
        }
        return runs;
    }

    /** Whether slices of it travel as rows: always in the same mode, so that received files can be reused. */
    boolean travelsAsRows() {
        return rows.hashCode() % 2 == 0;
    }

    /** Where consecutive rows are in Data.db. */
    SourceRegion region(List<SimulatedRow> run) {
        long offset = COUNT_BYTES + (long) rows.indexOf(run.get(0)) * ROW_BYTES;
        return new SourceRegion(path(Component.DATA), offset, (long) run.size() * ROW_BYTES);
    }

    Path path(Component component) {
        return directory.resolve(descriptor.fileName(component));
    }

    byte[] bytes(Component component) {
        return Objects.requireNonNull(files.get(component));
    }

    /** A file of rows: their number, then the rows. */
    static byte[] rowBytes(List<SimulatedRow> rows) {
        ByteBuffer bytes =
                ByteBuffer.allocate(COUNT_BYTES + rows.size() * ROW_BYTES).putInt(rows.size());
        rows.forEach(row -> bytes.putLong(row.token()).putInt(row.timestamp()).putInt(row.value()));
        return bytes.array();
    }

    /** What precedes the rows in Data.db, also when a part travels as rows. */
    static byte[] head(int rows) {
        return ByteBuffer.allocate(COUNT_BYTES).putInt(rows).array();
    }

    /** What follows the rows. */
    byte[] tail() {
        byte[] data = bytes(Component.DATA);
        return Arrays.copyOfRange(data, COUNT_BYTES + rows.size() * ROW_BYTES, data.length);
    }

    /** The rows of a data file. */
    static List<SimulatedRow> rows(byte[] data) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(data);
        int count = data.length < COUNT_BYTES ? -1 : in.getInt();
        if (count < 1 || count > in.remaining() / ROW_BYTES) {
            throw new IOException("damaged data file: " + count + " rows in " + data.length + " bytes");
        }
        List<SimulatedRow> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(new SimulatedRow(in.getLong(), in.getInt(), in.getInt()));
        }
        return rows;
    }
}
