package io.sluice.netty.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.sluice.netty.TlsFiles;
import io.sluice.netty.security.TestAuthority;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Random;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Both ends are in memory: what one has written is read by the other when the test says so. */
@SuppressWarnings("FutureReturnValueIgnored") // what is not looked at is read by the other end
class RegionEncrypterTest {
    private static final int FILE_BYTES = 1_000_000;

    @TempDir
    Path temp;

    private byte[] content = new byte[0];
    private Path file = Path.of("");
    private EmbeddedChannel sender = new EmbeddedChannel();
    private EmbeddedChannel receiver = new EmbeddedChannel();
    private Socket socket = new Socket();

    /** Takes bytes as a socket does: what is reported as written may be overwritten. */
    private static final class Socket extends ChannelOutboundHandlerAdapter {
        private final Deque<Runnable> held = new ArrayDeque<>();
        private boolean isHolding;

        @Override
        public void write(ChannelHandlerContext context, Object content, ChannelPromise promise) {
            Runnable accept = () -> {
                ByteBuf bytes = (ByteBuf) content;
                context.writeAndFlush(bytes.copy());
                bytes.release();
                promise.trySuccess();
            };
            if (isHolding) {
                held.add(accept);
            } else {
                accept.run();
            }
        }

        void accept(int count) {
            for (int i = 0; i < count && !held.isEmpty(); i++) {
                held.remove().run();
            }
        }
    }

    @BeforeEach
    void connect() throws Exception {
        content = new byte[FILE_BYTES];
        new Random(1).nextBytes(content);
        file = Files.write(temp.resolve("Data.db"), content);
        connect(SslProvider.JDK);
    }

    private void connect(SslProvider provider) throws Exception {
        TlsFiles files = new TestAuthority(temp, "authority").node("node", "127.0.0.1");
        SslContext server = SslContextBuilder.forServer(
                        files.certificate().toFile(), files.key().toFile())
                .protocols("TLSv1.3")
                .sslProvider(provider)
                .build();
        SslContext client = SslContextBuilder.forClient()
                .trustManager(files.trust().toFile())
                .protocols("TLSv1.3")
                .endpointIdentificationAlgorithm("")
                .sslProvider(provider)
                .build();
        close();
        sender = new EmbeddedChannel();
        receiver = new EmbeddedChannel();
        socket = new Socket();
        sender.pipeline().addLast(socket, server.newHandler(sender.alloc()), new RegionEncrypter());
        receiver.pipeline().addLast(client.newHandler(receiver.alloc()));
        SslHandler handshake = sender.pipeline().get(SslHandler.class);
        for (int i = 0; i < 1_000 && !handshake.handshakeFuture().isDone(); i++) {
            pass(receiver, sender);
            pass(sender, receiver);
        }
        assertThat(handshake.handshakeFuture().isSuccess()).isTrue();
        received();
    }

    @AfterEach
    void close() {
        socket.isHolding = false; // or the end of the encrypted stream would be held, too
        socket.accept(Integer.MAX_VALUE);
        sender.finishAndReleaseAll();
        receiver.finishAndReleaseAll();
    }

    private static void pass(EmbeddedChannel from, EmbeddedChannel to) {
        from.runPendingTasks();
        for (ByteBuf bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
            to.writeInbound(bytes);
        }
        to.runPendingTasks();
    }

    private byte[] received() {
        pass(sender, receiver);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ByteBuf bytes = receiver.readInbound(); bytes != null; bytes = receiver.readInbound()) {
            byte[] part = new byte[bytes.readableBytes()];
            bytes.readBytes(part).release();
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private ChannelFuture write(String text) {
        return sender.writeAndFlush(Unpooled.copiedBuffer(text(text)));
    }

    private ChannelFuture write(int offset, int length) {
        return sender.writeAndFlush(new EncryptedRegion(file, offset, length));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @ParameterizedTest
    @EnumSource(names = {"JDK", "OPENSSL"})
    void messages_and_regions_are_received_in_their_order(SslProvider provider) throws Exception {
        connect(provider);

        write("first");
        ChannelFuture region = write(1_000, 700_000);
        write("second");
        write(999_999, 1);
        ChannelFuture last = write("third");

        assertThat(region.isSuccess()).isTrue();
        assertThat(last.isSuccess()).isTrue();
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        expected.writeBytes(text("first"));
        expected.writeBytes(Arrays.copyOfRange(content, 1_000, 701_000));
        expected.writeBytes(text("second"));
        expected.write(content[999_999]);
        expected.writeBytes(text("third"));
        assertThat(received()).isEqualTo(expected.toByteArray());
    }

    @Test
    void what_is_written_while_the_socket_accepts_no_more_waits() {
        sender.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        ChannelFuture region = write(0, FILE_BYTES);
        ChannelFuture message = write("behind");

        assertThat(received()).isEmpty();
        assertThat(region.isDone()).isFalse();
        assertThat(message.isDone()).isFalse();

        sender.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
        sender.runPendingTasks();

        assertThat(region.isSuccess()).isTrue();
        assertThat(message.isSuccess()).isTrue();
        byte[] received = received();
        assertThat(Arrays.copyOf(received, FILE_BYTES)).isEqualTo(content);
        assertThat(Arrays.copyOfRange(received, FILE_BYTES, received.length)).isEqualTo(text("behind"));
    }

    @Test
    void buffers_are_used_again_when_the_socket_has_accepted_them_and_are_few() {
        socket.isHolding = true;
        ChannelFuture large = write(0, FILE_BYTES);
        for (int i = 0; i < 1_000; i++) {
            write(i, 10);
        }

        assertThat(socket.held).hasSize(RegionCipher.BUFFERS);
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        while (!socket.held.isEmpty()) {
            socket.accept(1);
            assertThat(socket.held).hasSizeLessThanOrEqualTo(RegionCipher.BUFFERS);
            received.writeBytes(received());
        }

        assertThat(large.isSuccess()).isTrue();
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        expected.writeBytes(content);
        for (int i = 0; i < 1_000; i++) {
            expected.write(content, i, 10);
        }
        assertThat(received.toByteArray()).isEqualTo(expected.toByteArray());
    }

    @Test
    void a_key_update_goes_before_the_next_record() throws Exception {
        sender.pipeline().get(SslHandler.class).engine().beginHandshake(); // in TLS 1.3 a key update

        ChannelFuture region = write(0, FILE_BYTES);

        assertThat(region.isSuccess()).isTrue();
        assertThat(received()).isEqualTo(content);
    }

    @Test
    void an_engine_that_is_closed_closes_the_connection() {
        sender.pipeline().get(SslHandler.class).engine().closeOutbound();

        ChannelFuture region = write(0, FILE_BYTES);
        ChannelFuture message = write("behind");

        assertThat(region.cause()).isInstanceOf(ClosedChannelException.class);
        assertThat(message.isSuccess()).isFalse();
        assertThat(sender.isOpen()).isFalse();
    }

    @Test
    void an_engine_that_does_not_go_on_is_an_error() {
        var stuck = new SSLEngineResult(Status.OK, HandshakeStatus.NOT_HANDSHAKING, 0, 0);
        var full = new SSLEngineResult(Status.BUFFER_OVERFLOW, HandshakeStatus.NOT_HANDSHAKING, 0, 0);
        var closed = new SSLEngineResult(Status.CLOSED, HandshakeStatus.NOT_HANDSHAKING, 0, 0);

        assertThatThrownBy(() -> RegionCipher.requireProgress(stuck)).isInstanceOf(SSLException.class);
        assertThatThrownBy(() -> RegionCipher.requireProgress(full))
                .isInstanceOf(SSLException.class)
                .hasMessageContaining("BUFFER_OVERFLOW");
        assertThatThrownBy(() -> RegionCipher.requireProgress(closed)).isInstanceOf(ClosedChannelException.class);
        assertThatCode(() ->
                        RegionCipher.requireProgress(new SSLEngineResult(Status.OK, HandshakeStatus.FINISHED, 0, 0)))
                .doesNotThrowAnyException();
    }

    @Test
    void a_file_that_was_cut_fails_its_region_and_no_other() {
        ChannelFuture region = write(FILE_BYTES - 10, 20);
        ChannelFuture message = write("behind");

        assertThat(region.cause()).isInstanceOf(EOFException.class).hasMessageContaining("truncated");
        assertThat(message.isSuccess()).isTrue();
        assertThat(received()).isEqualTo(text("behind"));
    }

    @Test
    void who_closes_the_connection_at_the_end_of_a_region_fails_what_waits() {
        sender.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        ChannelFuture region = write(0, FILE_BYTES);
        ChannelFuture next = write(0, 10);
        ChannelFuture message = write("behind");
        region.addListener(sent -> sender.close());

        sender.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
        sender.runPendingTasks();

        assertThat(region.isSuccess()).isTrue();
        assertThat(next.cause()).isInstanceOf(ClosedChannelException.class);
        assertThat(message.cause()).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void the_end_of_the_connection_fails_what_waits() {
        sender.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        ChannelFuture region = write(0, FILE_BYTES);
        ByteBuf message = Unpooled.copiedBuffer(text("behind"));
        ChannelFuture behind = sender.writeAndFlush(message);

        sender.close();
        sender.runPendingTasks();

        assertThat(region.isSuccess()).isFalse();
        assertThat(region.cause()).isInstanceOf(ClosedChannelException.class);
        assertThat(behind.cause()).isInstanceOf(ClosedChannelException.class);
        assertThat(message.refCnt()).isZero();
    }
}
