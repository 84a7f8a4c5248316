package io.sluice.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.Fixture;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.merge.MergedPartitions;
import io.sluice.sstable.metadata.Statistics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever the bytes are, a reader gives values or one typed error: never another exception, never a hang. */
class DamagedDataTest {
    private static final int ATTEMPTS = 60;
    private static final int MAX_FILE_BYTES = 1 << 16;

    @TempDir
    Path directory;

    static Stream<Fixture> smallPlainFixtures() throws IOException {
        return Fixture.all()
                .filter(fixture -> !Files.exists(fixture.path(Component.COMPRESSION_INFO)))
                .filter(fixture -> fixture.path(Component.DATA).toFile().length() <= MAX_FILE_BYTES);
    }

    private static SerializationHeader header(Fixture fixture) throws IOException {
        return SerializationHeader.parse(Statistics.read(
                        fixture.path(Component.STATISTICS), fixture.descriptor().version())
                .header());
    }

    private void readAll(byte[] damaged, Fixture fixture, SerializationHeader header) throws IOException {
        Path file = directory.resolve("damaged-Data.db");
        Files.write(file, damaged);
        DataReader data = DataReader.plain(file);
        var whole = List.of(new Section(0, damaged.length));
        try (var reader = new PartitionReader(data, fixture.descriptor().version(), header, whole);
                var merged = new MergedPartitions(List.of(reader), new ClusteringOrder(header.clusteringTypes()))) {
            ContentDigest.of(merged);
        }
    }

    @ParameterizedTest
    @MethodSource("smallPlainFixtures")
    void reads_or_refuses_data_with_flipped_bytes(Fixture fixture) throws IOException {
        byte[] sound = Files.readAllBytes(fixture.path(Component.DATA));
        SerializationHeader header = header(fixture);
        Random random = new Random(11);

        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            byte[] damaged = sound.clone();
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            assertValueOrRefusal(() -> readAll(damaged, fixture, header));
        }
    }

    @ParameterizedTest
    @MethodSource("smallPlainFixtures")
    void refuses_data_that_ends_inside_a_partition(Fixture fixture) throws IOException {
        byte[] sound = Files.readAllBytes(fixture.path(Component.DATA));
        SerializationHeader header = header(fixture);
        Random random = new Random(12);

        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            byte[] damaged = Arrays.copyOf(sound, 1 + random.nextInt(sound.length - 1));
            assertValueOrRefusal(() -> readAll(damaged, fixture, header));
        }
    }

    @ParameterizedTest
    @MethodSource("smallPlainFixtures")
    void reads_or_refuses_damaged_headers(Fixture fixture) throws IOException {
        byte[] sound = header(fixture).toBytes().toArray();
        byte[] data = Files.readAllBytes(fixture.path(Component.DATA));
        Random random = new Random(13);

        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            byte[] damaged = Arrays.copyOf(sound, 1 + random.nextInt(sound.length));
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            assertValueOrRefusal(() -> readAll(data, fixture, SerializationHeader.parse(Bytes.wrap(damaged))));
        }
    }

    @FunctionalInterface
    private interface Attempt {
        void run() throws IOException;
    }

    private static void assertValueOrRefusal(Attempt attempt) throws IOException {
        Optional<Throwable> thrown = Optional.empty();
        try {
            attempt.run();
        } catch (IOException | RuntimeException | Error failed) {
            thrown = Optional.of(failed);
        }
        thrown.ifPresent(failed -> assertThat(failed).isInstanceOf(SSTableException.class));
    }
}
