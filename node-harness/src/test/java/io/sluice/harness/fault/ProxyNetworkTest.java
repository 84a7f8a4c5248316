package io.sluice.harness.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ProxyNetworkTest {
    private static final int SHORT_MILLIS = 200;

    private final ProxyNetwork network = new ProxyNetwork();
    private final Node one = node(1, 1);
    private final Node other = node(2, 2);
    private ServerSocket server;
    private Node target;

    private static Node node(int id, int port) {
        return new Node(new UUID(0, id), "node" + id, new Address("127.0.0.1", port), List.of());
    }

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        target = node(3, server.getLocalPort());
    }

    @AfterEach
    void close() throws IOException {
        network.close();
        server.close();
    }

    /** Whether a byte from {@code from} reaches the target. */
    private boolean reaches(Node from) throws IOException {
        Address address = network.seenBy(from, target).address();
        server.setSoTimeout(SHORT_MILLIS);
        try (Socket client = new Socket(address.host(), address.port())) {
            client.getOutputStream().write(7);
            try (Socket accepted = server.accept()) {
                return accepted.getInputStream().read() == 7;
            }
        } catch (SocketTimeoutException nothing) {
            return false;
        }
    }

    @Test
    void a_way_that_is_asked_for_after_the_cut_is_cut_too() throws IOException {
        network.cut(one, target);

        assertThat(reaches(one)).isFalse();
        assertThat(reaches(other)).isTrue();
    }

    @Test
    void mending_a_cut_leaves_another_one() throws IOException {
        network.cut(one, target);
        network.cut(target, other);

        network.heal(one, target);

        assertThat(reaches(other)).isFalse();
    }

    @Test
    void two_cuts_of_the_same_nodes_end_with_the_later() throws IOException {
        network.cut(one, target);
        network.cut(target, one);

        network.heal(one, target);
        assertThat(reaches(one)).isFalse();

        network.heal(target, one);
        assertThat(reaches(one)).isTrue();
    }
}
