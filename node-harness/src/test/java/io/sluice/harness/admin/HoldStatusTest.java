package io.sluice.harness.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HoldStatusTest {
    @ParameterizedTest
    @CsvSource({
        "address 10.0.0.10,  address 10.0.0.10,  true",
        "address 10.0.0.10,  address 10.0.0.1,   false",
        "address 10.0.0.10,  address,            false",
        "certificate 3fa9c1, certificate 3fa9c1, true",
        "certificate 3fa9c1, certificate 3fa,    true",
        "certificate 3fa9c1, certificate 3fb,    false",
        "certificate 3fa9c1, certificate,        false"
    })
    void an_address_is_named_whole_and_a_certificate_by_its_first_letters(String who, String name, boolean isNamed) {
        assertThat(new HoldStatus(who, 1, 60, "garbage").isNamed(name)).isEqualTo(isNamed);
    }
}
