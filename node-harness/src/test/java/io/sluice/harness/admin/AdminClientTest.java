package io.sluice.harness.admin;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is said of a node that does not answer. */
class AdminClientTest {
    private static final int MORE_THAN_WAIT = 8;

    private final List<SocketChannel> waiting = new ArrayList<>();
    private final ServerSocket server;

    AdminClientTest() throws IOException {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        for (SocketChannel one : waiting) {
            one.close();
        }
        server.close();
    }

    /** Until the system drops further attempts, as a firewall does. */
    private void fillTheBacklog() throws IOException {
        for (int i = 0; i < MORE_THAN_WAIT; i++) {
            SocketChannel one = SocketChannel.open();
            waiting.add(one);
            one.configureBlocking(false);
            one.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()));
        }
    }

    @Test
    @Tag("full")
    void a_node_that_cannot_be_reached_is_waited_for_as_long_as_is_said() throws IOException {
        fillTheBacklog();
        Address address = new Address(server.getInetAddress().getHostAddress(), server.getLocalPort());
        AdminClient client = new AdminClient("node1", address, new AdminToken("7".repeat(64)));

        assertThatThrownBy(client::status)
                .isInstanceOf(AdminException.class)
                .hasMessage("node1 does not answer at " + address + ": it cannot be reached within 5 s");
    }
}
