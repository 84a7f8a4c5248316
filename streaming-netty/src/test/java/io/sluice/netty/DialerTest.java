package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.netty.transport.Dialer;
import io.sluice.netty.transport.SocketTuning;
import io.sluice.netty.transport.Transport;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.access.AccessControl;
import io.sluice.streaming.access.Audit;
import io.sluice.streaming.access.Holds;
import io.sluice.streaming.log.PeerLog;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.runtime.Network;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.store.Authorizer;
import io.sluice.streaming.store.NodeIdentities;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The caller of a dialer is the thread that makes all decisions of a node: no resolver may stop it. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class DialerTest {
    private static final PeerChannel.Listener NOBODY = new PeerChannel.Listener() {
        @Override
        public void onMessage(PeerChannel channel, Message message) {}

        @Override
        public void onEnd(PeerChannel channel, String reason) {}
    };

    private final Transport transport = Transport.create(Transport.Threads.named("sluice-dialer"), 1);
    private final Queue<Runnable> lookUps = new ArrayDeque<>();
    private final CompletableFuture<StreamException> failure = new CompletableFuture<>();

    @AfterEach
    void close() {
        transport.close();
    }

    private void dial(Address address, Dialer.Resolver resolver) {
        Node peer = new Node(new UUID(1, 1), "peer", address, List.of());
        Message.Hello hello = new Message.Hello(
                Message.Cluster.named("test"),
                new UUID(2, 2),
                peer.id(),
                Message.Role.QUERY,
                new UUID(3, 3),
                Message.SessionNumber.FIRST,
                0);
        new Dialer(
                        transport,
                        new SocketTuning(0, ""),
                        Optional.empty(),
                        access(),
                        new Dialer.Names(resolver, lookUps::add))
                .dial(peer, hello, NOBODY, new Network.Answer() {
                    @Override
                    public void connected(PeerChannel channel) {
                        failure.completeExceptionally(new AssertionError("connected"));
                    }

                    @Override
                    public void failed(StreamException reason) {
                        failure.complete(reason);
                    }
                });
    }

    private static AccessControl access() {
        return new AccessControl(
                new AccessControl.Rules(
                        new UUID(2, 2), "test", NodeIdentities.byAlternativeName(), false, chain -> Optional.empty()),
                Authorizer.EVERYTHING,
                new AccessControl.Notes(
                        new Holds(Holds.Rules.DEFAULTS, System::nanoTime),
                        new Audit(event -> {}, System::nanoTime),
                        new PeerLog(System::nanoTime)),
                new AccessControl.Questions(Runnable::run, (nanos, task) -> () -> {}));
    }

    @Test
    void a_name_is_looked_up_on_a_thread_that_may_block_and_then_connected_to() throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            dial(new Address("peer.test", listening.getLocalPort()), host -> {
                assertThat(host).isEqualTo("peer.test");
                return InetAddress.getLoopbackAddress();
            });
            assertThat(lookUps).hasSize(1);

            lookUps.remove().run();

            listening.accept().close();
        }
        assertThat(failure.get(20, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.PEER_LOST);
    }

    @Test
    void a_name_without_an_address_fails_with_that_reason() throws Exception {
        dial(new Address("no.such.invalid", 17_012), host -> {
            throw new UnknownHostException(host + ": Name or service not known");
        });

        lookUps.remove().run();

        StreamException why = failure.get(20, TimeUnit.SECONDS);
        assertThat(why.code()).isEqualTo(ErrorCode.PEER_LOST);
        assertThat(why).hasMessageContaining("its host cannot be resolved").hasMessageContaining("no.such.invalid");
    }

    @Test
    void an_ip_address_needs_no_look_up() throws Exception {
        for (String host : List.of("127.0.0.1", "::1")) {
            dial(new Address(host, 1), name -> {
                throw new UnknownHostException(name);
            });
        }

        assertThat(lookUps).isEmpty();
        assertThat(failure.get(20, TimeUnit.SECONDS)).hasMessageContaining("cannot connect to");
    }
}
