package io.sluice.sstable.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HistogramTest {

    @ParameterizedTest
    @EnumSource(Version.class)
    void is_the_same_after_it_was_written(Version version) throws IOException {
        Histogram lengths = lengths(version, 0, 1, 7, 7, 1L << 40, Long.MAX_VALUE);
        GrowingBuffer written = new GrowingBuffer();
        lengths.write(written);

        Histogram read = Histogram.read(ComponentInput.of(Path.of("Statistics.db"), 0, written.toBytes()));

        assertThat(read).isEqualTo(lengths).hasSameHashCodeAs(lengths);
        assertThat(read.total()).isEqualTo(6);
        assertThat(read.scaled(0.5)).isEqualTo(lengths.scaled(0.5));
        assertThat(read).isNotEqualTo(lengths(version, 0, 1, 7, 8, 1L << 40, Long.MAX_VALUE));
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void a_part_of_it_keeps_something_in_each_bucket_that_had_something(Version version) {
        Histogram lengths = lengths(version, 1, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7);

        assertThat(lengths.scaled(0.5)).isEqualTo(lengths(version, 1, 7, 7, 7, 7, 7));
        assertThat(lengths.scaled(0.01)).isEqualTo(lengths(version, 1, 7));
        assertThat(lengths.total()).isEqualTo(11);
    }

    private static Histogram lengths(Version version, long... numbers) {
        Histogram.Builder lengths = Histogram.Builder.ofLengths(version);
        for (long number : numbers) {
            lengths.add(number);
        }
        return lengths.build();
    }
}
