package io.sluice.harness.predict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LinkRateTest {
    @Test
    void networks_are_measured_in_bits_and_disks_in_bytes() {
        assertThat(LinkRate.parse("25Gbit")).isEqualTo(3.125e9);
        assertThat(LinkRate.parse("2GB/s")).isEqualTo(2e9);
        assertThat(LinkRate.parse("500MiB/s")).isEqualTo(500.0 * (1 << 20));
        assertThat(LinkRate.bits(3.125e9)).isEqualTo("25.0 Gbit/s");
    }

    @Test
    void what_has_no_unit_or_is_nothing_is_refused() {
        assertThatThrownBy(() -> LinkRate.parse("25")).hasMessageContaining("25Gbit, 2GB/s or 500MiB/s");
        assertThatThrownBy(() -> LinkRate.parse("0GB/s")).isInstanceOf(IllegalArgumentException.class);
    }
}
