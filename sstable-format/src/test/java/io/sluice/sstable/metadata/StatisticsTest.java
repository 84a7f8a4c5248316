package io.sluice.sstable.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.Fixture;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.Bytes;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StatisticsTest {

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#all")
    void says_the_same_after_being_written_again(Fixture fixture, @TempDir Path directory) throws IOException {
        Path original = fixture.path(Component.STATISTICS);
        Version version = fixture.descriptor().version();
        Statistics statistics = Statistics.read(original, version);

        Path written = directory.resolve(original.getFileName());
        statistics.write(written);

        assertThat(Statistics.read(written, version)).isEqualTo(statistics);
        if (version == Version.NB) { // 5.0 leaves padding behind the fields
            assertThat(Files.readAllBytes(written)).isEqualTo(Files.readAllBytes(original));
        }
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#all")
    void counts_the_partitions_in_its_histogram(Fixture fixture) throws IOException {
        Statistics statistics = fixture.open().statistics();

        if (fixture.expected().isPresent()) {
            assertThat(statistics.stats().distributions().partitionLengths().total())
                    .isEqualTo(fixture.expected().get().size());
        }
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#all")
    void a_header_without_a_byte_is_read(Fixture fixture, @TempDir Path directory) throws IOException {
        Version version = fixture.descriptor().version();
        Statistics statistics = fixture.open().statistics();
        Statistics without = new Statistics(
                version, statistics.validation(), statistics.compaction(), statistics.stats(), Bytes.EMPTY);
        Path written = directory.resolve("Statistics.db");
        without.write(written);

        assertThat(Statistics.read(written, version)).isEqualTo(without);
    }

    @Test
    void a_file_that_is_far_too_long_is_refused_before_it_is_read(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("nb-1-big-Statistics.db");
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength((64L << 20) + 1);
        }

        assertThatThrownBy(() -> Statistics.read(file, Version.NB))
                .isInstanceOf(SSTableException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("expected: up to 67108864");
    }
}
