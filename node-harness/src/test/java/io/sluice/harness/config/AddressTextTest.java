package io.sluice.harness.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.net.HostAndPort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses in options. */
class AddressTextTest {
    @ParameterizedTest
    @CsvSource({
        "node-1.example, node-1.example, 9042",
        "node-1.example:7000, node-1.example, 7000",
        "10.0.0.7, 10.0.0.7, 9042",
        "10.0.0.7:0, 10.0.0.7, 0",
        "::1, ::1, 9042",
        "2001:db8::1, 2001:db8::1, 9042",
        "2001:db8::, 2001:db8::, 9042",
        "2001:db8:0:0:0:0:0:1, 2001:db8:0:0:0:0:0:1, 9042",
        "[::1], ::1, 9042",
        "[::1]:7000, ::1, 7000"
    })
    void an_address_has_a_port_or_the_usual_one(String text, String host, int port) {
        HostAndPort address = AddressText.parse(text).withDefaultPort(9042);

        assertThat(address.getHost()).isEqualTo(host);
        assertThat(address.getPort()).isEqualTo(port);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":7000",
                "host:",
                "host:x",
                "host:65536",
                "host:70:00",
                "[::1",
                "[::1]:",
                "[::1]7000",
                "[host]"
            })
    void what_is_none_is_refused(String text) {
        assertThatThrownBy(() -> AddressText.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_node_is_named_as_the_ring_names_it() {
        assertThat(AddressText.inRing("10.0.0.7")).isEqualTo("10.0.0.7");
        assertThat(AddressText.inRing("10.0.0.7:7000")).isEqualTo("10.0.0.7:7000");
        assertThat(AddressText.inRing("2001:db8::1")).isEqualTo("[2001:db8:0:0:0:0:0:1]");
        assertThat(AddressText.inRing("[2001:db8::1]:7000")).isEqualTo("[2001:db8:0:0:0:0:0:1]:7000");
    }
}
