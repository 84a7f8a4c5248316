package io.sluice.netty.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValueTypeTest {
    private static final ValueType<Duration> PERIOD = ValueType.period("1ms", "24h");

    @ParameterizedTest
    @CsvSource({
        "7B, 7",
        "1KiB, 1024",
        "1.5MiB, 1572864",
        "2 GiB, 2147483648",
        "1kB, 1000",
        "1KB, 1000",
        "1.5MB, 1500000",
        "2GB, 2000000000",
        "1TB, 1000000000000"
    })
    void amounts_are_read_in_both_kinds_of_units(String text, long bytes) {
        assertThat(ValueType.BYTES.read("size", text)).isEqualTo(bytes);
        assertThat(ValueType.RATE.read("rate", text + "/s")).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "GB", "1Gb", "1gib", "-1GB", "1GB ", "9999999TiB", "1e3MB"})
    void what_is_no_amount_is_refused_with_an_example(String text) {
        assertThatThrownBy(() -> ValueType.BYTES.read("size", text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("size: '" + text + "' (expected: bytes with a unit, as 512MiB, 1.5GiB or 2GB)");
    }

    @ParameterizedTest
    @CsvSource({"1ms, PT0.001S", "5m, PT5M", "1000us, PT0.001S", "90m, PT1H30M", "24h, PT24H", "1d, PT24H"})
    void periods_carry_the_units_of_cassandra_yaml(String text, Duration period) {
        assertThat(PERIOD.read("period", text)).isEqualTo(period);
        assertThat(PERIOD.read("period", PERIOD.write(period))).isEqualTo(period);
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "999us", "25h", "-1s", "5 s", "999999999999999999d", "1.5s", "0s"})
    void what_is_no_period_or_out_of_range_is_refused(String text) {
        assertThatThrownBy(() -> PERIOD.read("period", text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("period: '" + text + "' (expected: a period as 30s or 5m, from 1ms to 24h)");
    }

    @ParameterizedTest
    @ValueSource(longs = {1_000_000_000_000L, (1L << 40) + 1, (1L << 50) - 1})
    void large_amounts_are_read_as_they_are_written(long bytes) {
        assertThat(ValueType.BYTES.read("size", ValueType.BYTES.write(bytes))).isEqualTo(bytes);
        assertThat(ValueType.RATE.read("rate", ValueType.RATE.write(bytes))).isEqualTo(bytes);
    }

    @Test
    void every_value_is_written_as_it_is_read() {
        assertThat(ValueType.BYTES.write(3L << 19)).isEqualTo("1536KiB");
        assertThat(ValueType.RATE.write(0L)).isEqualTo("0");
        assertThat(ValueType.RATE.write(1_000L)).isEqualTo("1000B/s");
        assertThat(PERIOD.write(Duration.ofMillis(1500))).isEqualTo("1500ms");
        assertThat(ValueType.integer(1, 9).orAuto().write(Optional.empty())).isEqualTo("auto");
        assertThat(ValueType.WORD.listOrNone("names").write(List.of("a", "b"))).isEqualTo("a,b");
        assertThat(ValueType.percent(0, 100).write(7)).isEqualTo("7%");
        String print = "ab".repeat(32) + "=00000000-0000-0000-0000-000000000001";
        assertThat(ValueType.FINGERPRINTS.write(ValueType.FINGERPRINTS.read("prints", print)))
                .isEqualTo(print);
    }
}
