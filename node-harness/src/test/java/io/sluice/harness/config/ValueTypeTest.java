package io.sluice.harness.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValueTypeTest {
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
                .isInstanceOf(ConfigException.class)
                .hasMessage("size: '" + text + "' (expected: bytes with a unit, as 512MiB, 1.5GiB or 2GB)");
    }
}
