package io.sluice.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class RelayTest {
    private final ServerSocket server = listening();

    private static ServerSocket listening() {
        try {
            return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private Relay relay(Relay.Rule rule) throws IOException {
        return Relay.start((InetSocketAddress) server.getLocalSocketAddress(), rule);
    }

    private static Socket connect(Relay relay) throws IOException {
        return new Socket(relay.address().getAddress(), relay.address().getPort());
    }

    @Test
    void bytes_go_both_ways_and_the_end_of_one_side_is_the_end_of_the_other() throws IOException {
        try (Relay relay = relay(Relay.Rule.PASS);
                Socket client = connect(relay);
                Socket accepted = server.accept()) {
            client.getOutputStream().write(7);
            accepted.getOutputStream().write(8);
            assertThat(accepted.getInputStream().read()).isEqualTo(7);
            assertThat(client.getInputStream().read()).isEqualTo(8);

            client.shutdownOutput();

            assertThat(accepted.getInputStream().read()).isEqualTo(-1);
            assertThat(relay.connections()).isEqualTo(1);
        }
    }

    @Test
    void a_rule_decides_for_each_direction_of_each_connection() throws IOException {
        Map<Relay.Way, Integer> read = new ConcurrentHashMap<>();
        try (Relay relay = relay((way, from, to) -> {
                    int first = from.getInputStream().read();
                    read.put(way, first);
                    to.getOutputStream().write(first + 1);
                    from.getInputStream().transferTo(to.getOutputStream());
                });
                Socket client = connect(relay);
                Socket accepted = server.accept();
                Socket second = connect(relay);
                Socket alsoAccepted = server.accept()) {
            client.getOutputStream().write(1);
            assertThat(accepted.getInputStream().read()).isEqualTo(2);
            alsoAccepted.getOutputStream().write(10);
            assertThat(second.getInputStream().read()).isEqualTo(11);

            assertThat(read).isEqualTo(Map.of(new Relay.Way(0, true), 1, new Relay.Way(1, false), 10));
        }
    }

    @Test
    void a_target_that_is_gone_refuses_and_the_relay_goes_on() throws IOException {
        InetSocketAddress target = (InetSocketAddress) server.getLocalSocketAddress();
        try (Relay relay = relay(Relay.Rule.PASS)) {
            server.close();
            try (Socket client = connect(relay)) {
                assertThat(client.getInputStream().read()).isEqualTo(-1);
            }
            try (ServerSocket again = new ServerSocket(target.getPort(), 50, target.getAddress());
                    Socket client = connect(relay);
                    Socket accepted = again.accept()) {
                client.getOutputStream().write(7);
                assertThat(accepted.getInputStream().read()).isEqualTo(7);
            }
        }
    }

    @Test
    void what_is_open_ends_when_it_is_closed() throws IOException {
        Relay relay = relay(Relay.Rule.PASS);
        try (Socket client = connect(relay);
                Socket accepted = server.accept()) {
            client.getOutputStream().write(7);
            assertThat(accepted.getInputStream().read()).isEqualTo(7);

            relay.close();

            assertThat(client.getInputStream().read()).isEqualTo(-1);
            assertThat(accepted.getInputStream().read()).isEqualTo(-1);
        }
    }
}
