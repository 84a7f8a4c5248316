package io.sluice.harness.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sizes and rates have the same units. */
class ByteFormatTest {
    @ParameterizedTest
    @CsvSource({
        "0,0 B/s",
        "1000,1000 B/s",
        "1536,1.50 KiB/s",
        "1000000,977 KiB/s",
        "25165824,24.0 MiB/s",
        "160432128,153 MiB/s",
        "1932735283,1.80 GiB/s"
    })
    void a_rate_has_three_digits(double bytesPerSecond, String text) {
        assertThat(ByteFormat.rate(bytesPerSecond)).isEqualTo(text);
    }

    @Test
    void a_rate_counts_in_the_units_of_sizes() {
        assertThat(ByteFormat.text(3L << 30)).isEqualTo("3.00 GiB");
        assertThat(ByteFormat.rate(3L << 30, 1)).isEqualTo("3.00 GiB/s");
    }

    @Test
    void nothing_has_a_rate_without_time() {
        assertThat(ByteFormat.rate(1 << 20, 0)).isEqualTo("0 B/s");
    }
}
