package io.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CongestionControlTest {
    @Test
    void it_is_the_kernels() throws Exception {
        Path kernels = Path.of("/proc/sys/net/ipv4/tcp_congestion_control");
        String expected = Files.isReadable(kernels) ? Files.readString(kernels).strip() : "unknown";

        assertThat(CongestionControl.ofSystem()).hasToString(expected);
    }

    @Test
    void one_that_paces_loopback_is_named_with_the_command_that_ends_it() {
        assertThat(new CongestionControl(Optional.of("bbr")).warning().orElseThrow())
                .contains("bbr", "sysctl -w net.ipv4.tcp_congestion_control=cubic");
        assertThat(new CongestionControl(Optional.of("cubic")).warning()).isEmpty();
        assertThat(new CongestionControl(Optional.empty()).warning()).isEmpty();
    }
}
