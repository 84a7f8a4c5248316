package io.sluice.harness.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class FaultProxyTest {
    private static final int SHORT_MILLIS = 200;

    private final ServerSocket server = listening();
    private final FaultProxy proxy = proxy();

    private static ServerSocket listening() {
        try {
            return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private FaultProxy proxy() {
        try {
            return FaultProxy.start(new Address(server.getInetAddress().getHostAddress(), server.getLocalPort()));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private Socket client = new Socket();
    private Socket accepted = new Socket();

    @BeforeEach
    void connect_through_the_proxy() throws IOException {
        client = new Socket(proxy.address().host(), proxy.address().port());
        accepted = server.accept();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        accepted.close();
        proxy.close();
        server.close();
    }

    @Test
    void bytes_go_both_ways() throws IOException {
        client.getOutputStream().write(7);
        accepted.getOutputStream().write(8);

        assertThat(accepted.getInputStream().read()).isEqualTo(7);
        assertThat(client.getInputStream().read()).isEqualTo(8);
    }

    @Test
    void when_it_is_cut_nothing_gets_through_and_nobody_is_told_until_it_is_healed() throws IOException {
        proxy.cut();
        client.getOutputStream().write(7);
        accepted.setSoTimeout(SHORT_MILLIS);

        assertThatThrownBy(() -> accepted.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);

        proxy.heal();
        accepted.setSoTimeout(0);
        assertThat(accepted.getInputStream().read()).isEqualTo(7);
    }

    @Test
    void while_it_is_cut_no_end_gets_through() throws IOException {
        proxy.cut();
        client.close();
        accepted.setSoTimeout(SHORT_MILLIS);

        assertThatThrownBy(() -> accepted.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);

        proxy.heal();
        accepted.setSoTimeout(0);
        assertThat(accepted.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void while_it_is_cut_no_connection_gets_through() throws IOException {
        proxy.cut();
        server.setSoTimeout(SHORT_MILLIS);
        try (Socket later = new Socket(proxy.address().host(), proxy.address().port())) {
            assertThatThrownBy(server::accept).isInstanceOf(SocketTimeoutException.class);

            proxy.heal();
            later.getOutputStream().write(9);
            server.setSoTimeout(0);
            try (Socket reached = server.accept()) {
                assertThat(reached.getInputStream().read()).isEqualTo(9);
            }
        }
    }

    @Test
    void the_end_of_one_side_is_the_end_of_the_other() throws IOException {
        client.close();

        assertThat(accepted.getInputStream().read()).isEqualTo(-1);
    }
}
