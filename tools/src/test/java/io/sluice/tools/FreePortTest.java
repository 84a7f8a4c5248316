package io.sluice.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FreePortTest {
    /** Of 20,000 at random, 1,000 are distinct once in 10^11 times. */
    private static final int CHOSEN = 1000;

    @Test
    void does_not_choose_a_port_that_waits_for_its_node() throws Exception {
        Set<Integer> chosen = new HashSet<>();
        for (int i = 0; i < CHOSEN; i++) {
            assertThat(chosen.add(FreePort.onLoopback())).as("port %d", i).isTrue();
        }
    }

    @Test
    void leaves_the_port_to_its_node() throws Exception {
        int port = FreePort.onLoopback();

        try (ServerSocket node = new ServerSocket()) {
            node.setReuseAddress(true);
            node.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            assertThat(node.getLocalPort()).isEqualTo(port);
        }
    }

    @Test
    void refuses_an_address_of_another_machine() {
        assertThatThrownBy(() -> FreePort.on("192.0.2.1")) // RFC 5737: nobody's
                .isInstanceOf(IOException.class)
                .hasMessage("no free port on 192.0.2.1 in 50 attempts");
    }
}
