package io.sluice.netty.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import io.sluice.streaming.ring.Address;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;

class ConnectionTest {
    /** Its handshake does not take 10 s, so that the test does not. */
    private static SslHandler impatient(ByteBufAllocator allocator) {
        try {
            SslHandler handler = SslContextBuilder.forClient().build().newHandler(allocator);
            handler.setHandshakeTimeoutMillis(50);
            return handler;
        } catch (SSLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_peer_that_says_nothing_in_the_tls_handshake_is_late_and_has_not_closed_the_connection() throws Exception {
        CompletableFuture<String> end = new CompletableFuture<>();
        Connection.FirstListener listener = new Connection.FirstListener() {
            @Override
            public void onMessage(Connection connection, Message message) {}

            @Override
            public void onEnd(Connection connection, String reason) {
                end.complete(connection.endCode() + ": " + reason);
            }
        };
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Transport transport = Transport.create(Transport.Threads.named("silent"), 1)) {
            transport
                    .connect(
                            new Address("127.0.0.1", silent.getLocalPort()),
                            new SocketTuning(0, ""),
                            Connection.initializer(() -> listener, Optional.of(ConnectionTest::impatient)))
                    .syncUninterruptibly();

            assertThat(end.get(20, TimeUnit.SECONDS)).startsWith("TIMEOUT: no answer in the TLS handshake");
        }
    }

    private static final Message MESSAGE = new Message.PrepareAck();

    /** A peer that answers what it is sent before the thread that sends goes on. */
    private static final class QuickPeer extends ChannelOutboundHandlerAdapter {
        @Override
        public void flush(ChannelHandlerContext context) {
            context.flush();
            context.fireChannelRead(Unpooled.wrappedBuffer(MessageCodec.encode(MESSAGE)));
        }
    }

    @Test
    void the_end_of_a_message_is_known_before_its_answer() {
        List<String> heard = new ArrayList<>();
        List<Connection> opened = new ArrayList<>();
        Connection.FirstListener listener = new Connection.FirstListener() {
            @Override
            public void onOpen(Connection connection) {
                opened.add(connection);
            }

            @Override
            public void onMessage(Connection connection, Message message) {
                heard.add("answer");
            }

            @Override
            public void onEnd(Connection connection, String reason) {
                heard.add(reason);
            }
        };
        EmbeddedChannel channel = new EmbeddedChannel(new QuickPeer(), Connection.initializer(() -> listener));
        if (opened.isEmpty()) {
            channel.pipeline().fireChannelActive();
        }

        opened.get(0).send(MESSAGE, sent -> heard.add("sent " + sent));

        assertThat(heard).containsExactly("sent true", "answer");
        channel.releaseOutbound();
    }
}
