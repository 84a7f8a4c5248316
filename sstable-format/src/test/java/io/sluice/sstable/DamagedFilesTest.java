package io.sluice.sstable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.compression.ChunkTable;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.index.CountedPartitions;
import io.sluice.sstable.index.EntryCopier;
import io.sluice.sstable.index.IndexFiles;
import io.sluice.sstable.index.IndexReader;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.index.SummaryReader;
import io.sluice.sstable.metadata.BloomFilter;
import io.sluice.sstable.metadata.Digest;
import io.sluice.sstable.metadata.Statistics;
import io.sluice.sstable.metadata.Toc;
import io.sluice.sstable.token.Token;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever the bytes of a component are, its reader gives a value or one SSTableException that says where. */
class DamagedFilesTest {
    private static final int STEPS = 50;
    private static final int DENSE = 32;
    private static final int[] FLIPS = {0x01, 0x80, 0xff};

    static Stream<Arguments> components() {
        return Stream.of("kv", "lz4_ratio", "wide")
                .flatMap(Fixture::of)
                .flatMap(fixture -> Arrays.stream(Component.values())
                        .filter(component -> Files.exists(fixture.path(component)))
                        .map(component -> Arguments.of(fixture, component)));
    }

    @ParameterizedTest
    @MethodSource("components")
    void truncated_anywhere(Fixture fixture, Component component, @TempDir Path directory) throws IOException {
        SSTable copy = fixture.copyTo(directory);
        byte[] whole = Files.readAllBytes(copy.path(component));

        for (int length : sample(whole.length)) {
            readDamaged(copy, component, Arrays.copyOf(whole, length), "cut to " + length);
        }
    }

    @ParameterizedTest
    @MethodSource("components")
    void any_byte_flipped(Fixture fixture, Component component, @TempDir Path directory) throws IOException {
        SSTable copy = fixture.copyTo(directory);
        byte[] whole = Files.readAllBytes(copy.path(component));

        for (int at : sample(whole.length)) {
            byte[] flipped = whole.clone();
            flipped[at] ^= (byte) FLIPS[at % FLIPS.length];
            readDamaged(copy, component, flipped, "flipped at " + at);
        }
    }

    @ParameterizedTest
    @MethodSource("components")
    void any_bytes_at_all(Fixture fixture, Component component, @TempDir Path directory) throws IOException {
        SSTable copy = fixture.copyTo(directory);
        var random = new Random(11);

        for (int round = 0; round < 50; round++) {
            var bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            if (round % 2 == 0) { // small numbers pass more checks
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = (byte) (bytes[i] & 3);
                }
            }
            readDamaged(copy, component, bytes, "random " + round);
        }
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("components")
    void many_random_damages(Fixture fixture, Component component, @TempDir Path directory) throws IOException {
        SSTable copy = fixture.copyTo(directory);
        byte[] whole = Files.readAllBytes(copy.path(component));
        var random = new Random(whole.length);

        for (int round = 0; round < 20_000 && whole.length > 0; round++) {
            byte[] damaged = whole.clone();
            int first = random.nextInt(whole.length);
            for (int i = random.nextInt(8); i >= 0; i--) {
                damaged[Math.min(whole.length - 1, first + random.nextInt(16))] = (byte) random.nextInt();
            }
            boolean hasChecksums = component == Component.STATISTICS && round % 2 == 0;
            readDamaged(copy, component, hasChecksums ? withChecksums(damaged) : damaged, "round " + round);
        }
    }

    /** The checksums of Statistics.db would hide the parsers behind them: so they are made right again. */
    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#samples")
    void statistics_with_matching_checksums(Fixture fixture, @TempDir Path directory) throws IOException {
        SSTable copy = fixture.copyTo(directory);
        byte[] whole = Files.readAllBytes(copy.path(Component.STATISTICS));

        for (int at : sample(whole.length)) {
            byte[] flipped = whole.clone();
            flipped[at] ^= (byte) FLIPS[at % FLIPS.length];
            readDamaged(copy, Component.STATISTICS, withChecksums(flipped), "flipped at " + at);
        }
    }

    private static byte[] withChecksums(byte[] file) {
        ByteBuffer bytes = ByteBuffer.wrap(file);
        int count = bytes.getInt(0);
        if (count < 1 || count > 4) {
            return file;
        }
        var crc = new CRC32();
        crc.update(file, 0, 4);
        bytes.putInt(4, (int) crc.getValue());
        crc.update(file, 8, 8 * count);
        bytes.putInt(8 + 8 * count, (int) crc.getValue());
        for (int i = 0; i < count; i++) {
            int start = bytes.getInt(12 + 8 * i);
            int end = (i + 1 < count ? bytes.getInt(20 + 8 * i) : file.length) - 4;
            if (start >= 0 && end >= start && end <= file.length - 4) {
                crc.reset();
                crc.update(file, start, end - start);
                bytes.putInt(end, (int) crc.getValue());
            }
        }
        return file;
    }

    private static int[] sample(int length) {
        int step = Math.max(1, length / STEPS);
        return IntStream.iterate(0, at -> at < length, at -> at + (at < DENSE || at >= length - DENSE ? 1 : step))
                .toArray();
    }

    private static void readDamaged(SSTable sstable, Component component, byte[] bytes, String damage)
            throws IOException {
        Files.write(sstable.path(component), bytes);
        try {
            read(sstable, component);
        } catch (SSTableException expected) {
            assertThat(expected.getMessage()).contains("(expected: ");
        } catch (RuntimeException | Error | IOException other) {
            fail(sstable.path(component) + " " + damage, other);
        }
    }

    private static void read(SSTable sstable, Component component) throws IOException {
        Path file = sstable.path(component);
        switch (component) {
            case STATISTICS -> Statistics.read(file, sstable.descriptor().version());
            case DIGEST -> Digest.read(file);
            case TOC -> Toc.read(file);
            case FILTER -> BloomFilter.read(file, sstable.descriptor().version());
            case SUMMARY -> readSummary(file);
            case INDEX -> {
                readIndex(file);
                walk(sstable);
            }
            case PARTITIONS, ROWS -> walk(sstable);
            case COMPRESSION_INFO, CRC, DATA -> readData(sstable);
            case PART, ATTACHED -> throw new AssertionError("no SSTable has one");
        }
    }

    private static void readSummary(Path file) throws IOException {
        try (SummaryReader summary = SummaryReader.open(file)) {
            for (int i = 0; i < summary.header().samples(); i++) {
                summary.sample(i);
            }
            summary.lastUpTo(new Token(0));
        }
    }

    private static void readIndex(Path file) throws IOException {
        try (IndexReader index = IndexReader.open(file)) {
            while (index.next().isPresent()) {
                // until the end
            }
        }
        Path copies = Files.createTempDirectory("copies");
        try (EntryCopier entries = EntryCopier.open(file);
                IndexFiles.Big copy = IndexFiles.Big.create(
                        component -> ComponentOutput.create(copies.resolve(component.fileName())), 128)) {
            entries.copy(0, Long.MAX_VALUE, 0, copy, new CountedPartitions());
            copy.finish();
        } finally {
            new LocalFiles().deleteTree(copies);
        }
    }

    private static void walk(SSTable sstable) throws IOException {
        try (PartitionCursor cursor = sstable.partitions()) {
            while (cursor.next().isPresent()) {
                // until the end
            }
            cursor.seekAfter(new Token(0));
            cursor.next();
        }
    }

    private static void readData(SSTable sstable) throws IOException {
        if (sstable.isCompressed()) {
            try (ChunkTable table = ChunkTable.open(
                    sstable.path(Component.COMPRESSION_INFO), Files.size(sstable.path(Component.DATA)))) {
                table.chunk(table.info().chunkCount() - 1L);
            }
        }
        try (DataReader data = sstable.openData()) {
            var buffer = ByteBuffer.allocate(1 << 14);
            for (long at = 0; at < data.lengthBytes(); at += buffer.limit()) {
                buffer.clear().limit((int) Math.min(buffer.capacity(), data.lengthBytes() - at));
                data.read(at, buffer);
            }
        }
    }
}
