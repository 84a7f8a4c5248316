package io.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;

class PlainPeerTest {
    @Test
    void a_small_message_does_not_wait_for_the_answer_to_the_one_before() throws Exception {
        try (ServerSocketChannel server =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel socket = SocketChannel.open(server.getLocalAddress());
                PlainPeer peer = new PlainPeer(socket)) {
            assertThat(peer).isNotNull();
            assertThat(socket.getOption(StandardSocketOptions.TCP_NODELAY)).isTrue();
        }
    }
}
