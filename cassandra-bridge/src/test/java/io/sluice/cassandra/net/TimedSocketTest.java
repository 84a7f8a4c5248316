package io.sluice.cassandra.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Over a real connection. */
class TimedSocketTest {
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Logger LOG = LoggerFactory.getLogger(TimedSocketTest.class);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int MANY_BYTES = 64 << 20; // more than all buffers between the two ends

    private final ServerSocketChannel listener;
    private final SocketChannel peer;
    private final TimedSocket socket;

    TimedSocketTest() throws IOException {
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        peer = SocketChannel.open(listener.getLocalAddress());
        socket = TimedSocket.of(listener.accept(), LONG);
    }

    @AfterEach
    void close() throws IOException {
        socket.close();
        peer.close();
        listener.close();
    }

    @Test
    void a_peer_that_says_nothing_is_not_waited_for_for_ever() {
        socket.setReadTimeout(SHORT);

        assertThatThrownBy(() -> socket.read(ByteBuffer.allocate(1)))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT))
                .hasMessageContaining("sent nothing");
    }

    @Test
    void a_peer_that_drips_is_not_waited_for_beyond_the_deadline() throws Exception {
        socket.setReadDeadline(Duration.ofMillis(300));
        CompletableFuture<Void> dripping = CompletableFuture.runAsync(this::drip);

        assertThatThrownBy(this::readForEver)
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));

        socket.close();
        dripping.get(LONG.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void a_peer_that_stops_within_a_message_is_said_to_have_sent_none_that_is_complete() throws Exception {
        socket.setReadDeadline(SHORT);
        peer.write(ByteBuffer.wrap(new byte[] {7}));

        assertThatThrownBy(this::readForEver)
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("has sent no complete message in");
    }

    @Test
    void a_deadline_ends_with_the_next_timeout() throws IOException {
        socket.setReadDeadline(Duration.ZERO);
        socket.setReadTimeout(LONG);
        peer.write(ByteBuffer.wrap(new byte[] {7}));

        assertThat(socket.read(ByteBuffer.allocate(1))).isEqualTo(1);
    }

    private void readForEver() throws IOException {
        while (socket.read(ByteBuffer.allocate(1)) == 1) {
            // until it throws
        }
    }

    private void drip() {
        try {
            while (true) {
                peer.write(ByteBuffer.wrap(new byte[] {7}));
                TimeUnit.MILLISECONDS.sleep(1);
            }
        } catch (IOException | InterruptedException closed) {
            LOG.info("the end of the drip: {}", closed.toString());
        }
    }

    @Test
    void a_peer_that_takes_nothing_is_not_waited_for_for_ever() {
        socket.setWriteTimeout(SHORT);

        assertThatThrownBy(() -> socket.write(ByteBuffer.allocate(MANY_BYTES)))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT))
                .hasMessageContaining("read nothing");
    }

    @Test
    void more_than_fits_arrives_whole_while_the_peer_takes_it() throws Exception {
        CompletableFuture<Long> taken = CompletableFuture.supplyAsync(this::takeAll);

        socket.write(ByteBuffer.allocate(MANY_BYTES));
        socket.close();

        assertThat(taken.get(LONG.toSeconds(), TimeUnit.SECONDS)).isEqualTo(MANY_BYTES);
    }

    private long takeAll() {
        try {
            ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
            long sum = 0;
            for (int count = 0; count >= 0; count = peer.read(buffer.clear())) {
                sum += count;
            }
            return sum;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void what_was_said_before_the_end_is_read_and_then_the_end() throws IOException {
        peer.write(ByteBuffer.wrap(new byte[] {7}));
        peer.close();
        ByteBuffer heard = ByteBuffer.allocate(2);

        assertThat(socket.read(heard)).isEqualTo(1);
        assertThat(socket.read(heard)).isEqualTo(-1);
    }

    @Test
    void closing_ends_a_read_that_waits() throws Exception {
        CompletableFuture<Integer> reading = CompletableFuture.supplyAsync(this::readOne);
        TimeUnit.MILLISECONDS.sleep(SHORT.toMillis()); // it waits by then, most likely, which nothing tells

        socket.close();

        assertThatThrownBy(() -> reading.get(LONG.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .rootCause()
                .isInstanceOf(ClosedChannelException.class);
    }

    private int readOne() {
        try {
            return socket.read(ByteBuffer.allocate(1));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
