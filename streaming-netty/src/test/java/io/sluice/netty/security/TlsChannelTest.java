package io.sluice.netty.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import io.sluice.netty.transport.BlockingSocket;
import io.sluice.netty.transport.SocketTuning;
import io.sluice.streaming.ring.Address;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The blocking end against Netty's, whosoever's cipher is at either. */
class TlsChannelTest {
    private static final int LENGTH_BYTES = 5_000_000;

    @TempDir
    Path temp;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

    @AfterEach
    void end() {
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private static Address addressOf(Channel listening) {
        return new Address("127.0.0.1", ((InetSocketAddress) listening.localAddress()).getPort());
    }

    private static BlockingSocket connected(Channel listening) throws IOException {
        BlockingSocket socket = BlockingSocket.open();
        socket.connect((InetSocketAddress) listening.localAddress(), new SocketTuning(0, ""), 5_000);
        socket.within(Duration.ofSeconds(20));
        return socket;
    }

    @ParameterizedTest
    @CsvSource({"JDK,JDK", "JDK,OPENSSL", "OPENSSL,JDK", "OPENSSL,OPENSSL"})
    void what_is_said_is_heard(SslProvider here, SslProvider there) throws Exception {
        TestAuthority authority = new TestAuthority(temp, "authority");
        Tls client = Tls.of(authority.node("client", "127.0.0.1"), here);
        Tls server = Tls.of(authority.node("server", "127.0.0.1"), there);
        Channel listening = echo(server);
        try (BlockingSocket socket = connected(listening)) {
            try (TlsChannel channel = TlsChannel.handshake(socket, client.clientEngine(addressOf(listening)))) {
                byte[] said = new byte[LENGTH_BYTES];
                new Random(1).nextBytes(said);
                ByteBuffer heard = ByteBuffer.allocateDirect(LENGTH_BYTES);
                // Small enough a piece that its echo fits into the socket's buffers while it is still being said.
                for (int at1 = 0, length = 1; at1 < LENGTH_BYTES; at1 += length, length = nextLength(length, at1)) {
                    channel.write(ByteBuffer.wrap(said, at1, length));
                    ByteBuffer part = heard.slice(at1, length);
                    while (part.hasRemaining()) {
                        assertThat(channel.read(part)).isPositive();
                    }
                }
                byte[] echo = new byte[LENGTH_BYTES];
                heard.get(0, echo);
                assertThat(echo).isEqualTo(said);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"JDK,JDK", "JDK,OPENSSL", "OPENSSL,JDK", "OPENSSL,OPENSSL"})
    void whoever_is_not_trusted_hears_so(SslProvider here, SslProvider there) throws Exception {
        Tls client = Tls.of(new TestAuthority(temp.resolve("ours"), "ours").node("client", "127.0.0.1"), here);
        Tls server = Tls.of(new TestAuthority(temp.resolve("theirs"), "theirs").node("server", "127.0.0.1"), there);
        BlockingQueue<Throwable> heard = new LinkedBlockingQueue<>();
        Channel listening = listen(server, new ChannelInboundHandlerAdapter() {
            @Override
            public void userEventTriggered(ChannelHandlerContext context, Object event) {
                if (event instanceof SslHandshakeCompletionEvent end && !end.isSuccess()) {
                    heard.add(end.cause());
                }
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                heard.add(cause);
            }
        });
        try (BlockingSocket socket = connected(listening)) {

            assertThatThrownBy(() -> TlsChannel.handshake(socket, client.clientEngine(addressOf(listening))))
                    .isInstanceOf(SSLException.class);

            Throwable first = heard.poll(20, TimeUnit.SECONDS);
            assertThat(String.valueOf(first)).containsIgnoringCase("alert");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"JDK", "OPENSSL"})
    void a_read_in_vain_does_not_read_again_what_was_read(SslProvider provider) throws Exception {
        TestAuthority authority = new TestAuthority(temp, "authority");
        Tls client = Tls.of(authority.node("client", "127.0.0.1"), provider);
        Channel listening = echo(Tls.of(authority.node("server", "127.0.0.1"), provider));
        try (BlockingSocket socket = connected(listening)) {
            try (TlsChannel channel = TlsChannel.handshake(socket, client.clientEngine(addressOf(listening)))) {
                channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
                assertThat(read(channel, 3)).containsExactly(1, 2, 3);

                socket.within(Duration.ofMillis(1));
                assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(3)))
                        .isInstanceOf(SocketTimeoutException.class);
                socket.within(Duration.ofSeconds(20));
                channel.write(ByteBuffer.wrap(new byte[] {4, 5, 6}));
                assertThat(read(channel, 3)).containsExactly(4, 5, 6);
            }
        }
    }

    /** Its end of the stream is in the same read of the socket. */
    @ParameterizedTest
    @EnumSource(names = {"JDK", "OPENSSL"})
    void what_a_peer_sends_before_it_closes_arrives(SslProvider provider) throws Exception {
        TestAuthority authority = new TestAuthority(temp, "authority");
        Tls client = Tls.of(authority.node("client", "127.0.0.1"), provider);
        Tls server = Tls.of(authority.node("server", "127.0.0.1"), provider);
        CountDownLatch isClosed = new CountDownLatch(1);
        byte[] sent = new byte[50_000];
        new Random(2).nextBytes(sent);
        Channel listening = listen(server, new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                ReferenceCountUtil.release(message);
                context.writeAndFlush(Unpooled.wrappedBuffer(sent)).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
                context.close().addListener(closed -> isClosed.countDown());
            }
        });
        try (BlockingSocket socket = connected(listening)) {
            try (TlsChannel channel = TlsChannel.handshake(socket, client.clientEngine(addressOf(listening)))) {
                channel.write(ByteBuffer.wrap(new byte[] {1}));
                assertThat(isClosed.await(20, TimeUnit.SECONDS)).isTrue();

                ByteBuffer roomy = ByteBuffer.allocateDirect(2 * sent.length); // so that the end is decrypted, too
                while (roomy.position() < sent.length) {
                    assertThat(channel.read(roomy)).isPositive();
                }
                assertThat(roomy.flip()).isEqualTo(ByteBuffer.wrap(sent));
                assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1))).isInstanceOf(EOFException.class);
            }
        }
    }

    /** By pieces that end in the middle of records. */
    private static byte[] read(TlsChannel channel, int length) throws IOException {
        ByteBuffer all = ByteBuffer.allocateDirect(length);
        while (all.hasRemaining()) {
            ByteBuffer piece = all.slice(all.position(), Math.min(all.remaining(), 30_000));
            all.position(all.position() + channel.read(piece));
        }
        byte[] bytes = new byte[length];
        all.flip().get(bytes);
        return bytes;
    }

    private static int nextLength(int length, int position) {
        return Math.min(Math.min(length * 3, 100_000), LENGTH_BYTES - position);
    }

    private Channel echo(Tls tls) {
        return listen(tls, new Echo());
    }

    private Channel listen(Tls tls, ChannelHandler handler) {
        return new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(tls.server(channel.alloc())).addLast(handler);
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
        }
    }

    /** Says that a record of 30,000 bytes comes, and sends more and more of it. */
    private static final class Overlong implements ByteChannel {
        private boolean hasBegun;

        @Override
        public int read(ByteBuffer into) {
            int before = into.position();
            if (!hasBegun) {
                hasBegun = true;
                into.put(new byte[] {22, 3, 3, (byte) (30_000 >> 8), (byte) 30_000});
            }
            into.put(new byte[Math.min(into.remaining(), 4_000)]);
            return into.position() - before;
        }

        @Override
        public int write(ByteBuffer from) {
            int length = from.remaining();
            from.position(from.limit());
            return length;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    @Test
    void a_record_that_is_longer_than_any_is_refused_before_it_has_arrived() throws Exception {
        Tls client = Tls.of(new TestAuthority(temp, "authority").node("client", "127.0.0.1"), SslProvider.JDK);

        assertThatThrownBy(() ->
                        TlsChannel.handshake(new Overlong(), client.clientEngine(new Address("127.0.0.1", 7_000))))
                .isInstanceOf(SSLException.class)
                .hasMessageContaining("a record of more than 20480 bytes");
    }
}
