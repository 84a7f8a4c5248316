package io.sluice.netty.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.sluice.netty.security.TestAuthority;
import io.sluice.netty.security.Tls;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.ring.Address;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The last message of an end that closes arrives, also at a peer that is sending. */
@Timeout(60)
class ClosingConnectionTest {
    private static final Message REASON = new Message.SessionFailed(ErrorCode.DISK, "no such device");
    private static final SocketTuning TUNING = new SocketTuning(0, "");
    private static final int MESSAGES = 1_000;
    /** More than one write; on a busy machine more than these take longer than a node waits for. */
    private static final int FEW_MESSAGES = 20;

    @TempDir
    Path temp;

    private final Transport transport = Transport.create(Transport.Threads.named("closing"), 1);
    private final Address address;

    ClosingConnectionTest() throws IOException {
        this.address = new Address("127.0.0.1", FreePort.onLoopback());
    }

    /** One end, and what it has received. */
    private static final class End implements Connection.FirstListener {
        final CompletableFuture<Connection> ready = new CompletableFuture<>();
        final BlockingQueue<Message> received = new LinkedBlockingQueue<>();
        final CompletableFuture<String> ended = new CompletableFuture<>();
        private final boolean isEncrypted;

        End(boolean isEncrypted) {
            this.isEncrypted = isEncrypted;
        }

        @Override
        public void onOpen(Connection connection) {
            if (!isEncrypted) {
                ready.complete(connection);
            }
        }

        @Override
        public void onSecured(Connection connection) {
            ready.complete(connection);
        }

        @Override
        public void onMessage(Connection connection, Message message) {
            received.add(message);
        }

        @Override
        public void onEnd(Connection connection, String reason) {
            ended.complete(reason);
        }

        Connection connection() {
            return ready.orTimeout(20, TimeUnit.SECONDS).join();
        }
    }

    private record Ends(End here, End peer) {}

    private Ends connect(boolean isEncrypted) throws Exception {
        return connect(isEncrypted, transport);
    }

    /** @param listening has this end; the other transport has the peer's */
    private Ends connect(boolean isEncrypted, Transport listening) throws Exception {
        TestAuthority authority = new TestAuthority(temp, "authority");
        Tls server = Tls.of(authority.node("here", "127.0.0.1"));
        Tls client = Tls.of(authority.node("peer", "127.0.0.1"));
        Ends ends = new Ends(new End(isEncrypted), new End(isEncrypted));
        listen(listening, ends::here, isEncrypted ? Optional.of(server::server) : Optional.empty());
        Optional<Function<ByteBufAllocator, ? extends ChannelHandler>> encryption =
                isEncrypted ? Optional.of(allocator -> client.client(allocator, address)) : Optional.empty();
        transport
                .connect(address, TUNING, Connection.initializer(ends::peer, encryption))
                .sync();
        ends.here().connection();
        ends.peer().connection();
        return ends;
    }

    private void listen(
            Transport listening,
            Supplier<End> here,
            Optional<Function<ByteBufAllocator, ? extends ChannelHandler>> encryption)
            throws InterruptedException {
        listening
                .listen(address, TUNING, Connection.initializer(here, encryption))
                .sync();
    }

    /** A peer that never closes. */
    private Socket thatNeverCloses(End here) throws Exception {
        listen(transport, () -> here, Optional.empty());
        Socket peer = new Socket(address.host(), address.port());
        here.connection();
        return peer;
    }

    @AfterEach
    void end() {
        transport.close();
    }

    private static Message request(int number) {
        return new Message.SessionFailed(ErrorCode.CANCELLED, "x".repeat(10_000) + number);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void the_last_message_arrives_although_the_peer_is_sending(boolean isEncrypted) throws Exception {
        Ends ends = connect(isEncrypted);
        ends.here().connection().read(false); // what the peer sends lies in the socket when it is closed
        for (int i = 0; i < MESSAGES / 2; i++) {
            ends.peer().connection().send(request(i));
        }

        ends.here().connection().send(REASON);
        ends.here().connection().close();
        for (int i = MESSAGES / 2; i < MESSAGES; i++) {
            ends.peer().connection().send(request(i));
        }

        assertThat(ends.peer().received.poll(20, TimeUnit.SECONDS)).isEqualTo(REASON);
        assertThat(ends.peer().ended.get(20, TimeUnit.SECONDS)).isEqualTo("the peer closed the connection");
        assertThat(ends.here().ended.get(20, TimeUnit.SECONDS)).isNotEmpty();
        assertThat(ends.here().received).as("not what was sent afterwards").hasSizeLessThanOrEqualTo(MESSAGES / 2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void the_last_message_arrives_although_the_node_is_closed_right_after_it(boolean isEncrypted) throws Exception {
        Transport ofNode = Transport.create(Transport.Threads.named("node"), 1);
        Ends ends = connect(isEncrypted, ofNode);
        Connection peer = ends.peer().connection();
        ends.here().connection().read(false);
        peer.send(request(0));
        CompletableFuture<Void> closed = new CompletableFuture<>();
        peer.channel().eventLoop().execute(() -> {
            // Busy meanwhile, and writes before it reads: the write is what a reset is noticed by. A node that waits
            // for this peer has not closed.
            closed.copy().completeOnTimeout(null, 100, TimeUnit.MILLISECONDS).join();
            for (int i = 1; i < FEW_MESSAGES; i++) {
                peer.send(request(i));
            }
        });

        ends.here().connection().send(REASON);
        ends.here().connection().close();
        ofNode.close();
        closed.complete(null);

        assertThat(ends.peer().received.poll(20, TimeUnit.SECONDS)).isEqualTo(REASON);
        assertThat(ends.peer().ended.get(20, TimeUnit.SECONDS)).isEqualTo("the peer closed the connection");
    }

    @Test
    void the_last_message_arrives_although_the_session_is_yet_to_send_it_when_the_node_is_closed() throws Exception {
        Transport ofNode = Transport.create(Transport.Threads.named("node"), 1);
        Ends ends = connect(false, ofNode);
        Connection here = ends.here().connection();
        CompletableFuture<Void> before = new CompletableFuture<>();
        ofNode.mailbox().execute(() -> {
            before.completeOnTimeout(null, 200, TimeUnit.MILLISECONDS).join(); // other sessions
            here.send(REASON);
            here.close();
        });

        ofNode.close();

        assertThat(ends.peer().received.poll(20, TimeUnit.SECONDS)).isEqualTo(REASON);
        assertThat(ends.peer().ended.get(20, TimeUnit.SECONDS)).isEqualTo("the peer closed the connection");
    }

    /** Only lower bounds of time, and orders, are sure on a busy machine. */
    @Test
    void a_peer_that_does_not_close_is_waited_for_but_not_for_long() throws Exception {
        End here = new End(false);
        try (Socket peer = thatNeverCloses(here)) {
            long begin = System.nanoTime();
            here.connection().send(REASON);
            here.connection().close();

            assertThat(here.connection().isOpen()).isFalse();
            assertThat(peer.getInputStream().readAllBytes()).hasSizeGreaterThan(10);
            assertThat(here.ended.get(20, TimeUnit.SECONDS)).isNotEmpty();
            assertThat(System.nanoTime() - begin).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(1_900));
        }
    }

    @Test
    @SuppressWarnings("FutureReturnValueIgnored") // what is noted at the end cannot fail
    void a_peer_that_is_refused_is_not_waited_for() throws Exception {
        List<String> order = new CopyOnWriteArrayList<>();
        End closed = new End(false);
        End refused = new End(false);
        closed.ended.thenRun(() -> order.add("closed"));
        refused.ended.thenRun(() -> order.add("refused"));
        Iterator<End> ends = List.of(closed, refused).iterator();
        listen(transport, ends::next, Optional.empty());
        try (Socket first = new Socket(address.host(), address.port())) {
            closed.connection();
            try (Socket second = new Socket(address.host(), address.port())) {
                refused.connection();

                closed.connection().close();
                refused.connection().refuse(new Message.SessionFailed(ErrorCode.DENIED, ""));

                assertThat(second.getInputStream().readAllBytes()).hasSizeGreaterThan(10);
                assertThat(first.getInputStream().readAllBytes()).isEmpty();
                assertThat(closed.ended.get(20, TimeUnit.SECONDS)).isNotEmpty();
                assertThat(order).startsWith("refused");
            }
        }
    }
}
