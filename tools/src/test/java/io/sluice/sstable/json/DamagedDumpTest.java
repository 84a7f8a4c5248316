package io.sluice.sstable.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.Fixture;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.metadata.Statistics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DamagedDumpTest {
    private static final int ATTEMPTS = 20;
    private static final long MAX_FILE_BYTES = 1 << 16;

    @TempDir
    private Path directory = Path.of("");

    static Stream<Fixture> smallPlainFixtures() {
        return Fixture.all()
                .filter(fixture -> !Files.exists(fixture.path(Component.COMPRESSION_INFO)))
                .filter(fixture -> fixture.path(Component.DATA).toFile().length() <= MAX_FILE_BYTES);
    }

    @ParameterizedTest
    @MethodSource("smallPlainFixtures")
    void prints_or_refuses_damaged_data(Fixture fixture) throws IOException {
        byte[] sound = Files.readAllBytes(fixture.path(Component.DATA));
        SerializationHeader header = SerializationHeader.parse(Statistics.read(
                        fixture.path(Component.STATISTICS), fixture.descriptor().version())
                .header());
        Random random = new Random(11);

        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            byte[] damaged = Arrays.copyOf(sound, attempt % 2 == 0 ? sound.length : 1 + random.nextInt(sound.length));
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            Path file = Files.write(directory.resolve("damaged-Data.db"), damaged);
            List<Section> whole = List.of(new Section(0, damaged.length));
            StringBuilder printed = new StringBuilder();
            try (var reader = new PartitionReader(
                    DataReader.plain(file), fixture.descriptor().version(), header, whole)) {
                new Dump(reader, fixture.descriptor().version(), 0, printed).print();
                assertThat(printed).startsWith("[").endsWith("]");
            } catch (SSTableException refused) {
                assertThat(refused).hasMessageContaining("damaged-Data.db");
            }
        }
    }
}
