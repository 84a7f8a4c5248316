package io.sluice.streaming.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An address, and its text. */
class AddressTest {
    @ParameterizedTest
    @CsvSource({
        "node-1.example, 7000, node-1.example:7000",
        "10.0.0.7, 1, 10.0.0.7:1",
        "::1, 7000, [::1]:7000",
        "2001:db8::1, 65535, [2001:db8::1]:65535",
        "fe80::1%eth0, 7000, [fe80::1%eth0]:7000"
    })
    void its_text_is_read_as_the_same_address(String host, int port, String text) {
        Address address = new Address(host, port);

        assertThat(address).hasToString(text);
        assertThat(Address.parse(text)).isEqualTo(address);
    }

    @Test
    void brackets_are_no_part_of_a_host() {
        assertThat(new Address("[::1]", 7000)).isEqualTo(new Address("::1", 7000));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "host",
                "host:",
                ":7000",
                " :7000",
                "host:0",
                "host:65536",
                "host:999999",
                "host:-1",
                "host:x",
                "[::1]",
                "[::1]7000",
                "[]:7000",
                "[[::1]]:7000"
            })
    void what_has_no_host_or_no_port_is_refused(String text) {
        assertThatThrownBy(() -> Address.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("(expected: host:port");
    }

    @Test
    void the_port_of_an_address_of_ipv6_is_not_guessed() {
        assertThatThrownBy(() -> Address.parse("2001:db8::1:7000"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("address: '2001:db8::1:7000' (expected: host:port, or [host]:port for an address of IPv6)");
    }
}
