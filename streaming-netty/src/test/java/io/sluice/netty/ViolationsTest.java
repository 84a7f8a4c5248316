package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.netty.security.TestAuthority;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Who violates the protocol again and again is not let in for a while; others are, and operators see and end it. */
@Timeout(120)
@ExtendWith(LeakCheck.class)
class ViolationsTest {
    private static final String HOSTILE = "127.3.3.3";
    private static final byte[] GARBAGE = "GET / HTTP/1.1\r\nHost: nobody\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path temp;

    private static Socket socket(Node node, String from) throws IOException {
        Socket socket = new Socket();
        socket.bind(new java.net.InetSocketAddress(from, 0));
        socket.connect(new java.net.InetSocketAddress(
                node.address().host(), node.address().port()));
        return socket;
    }

    /** Sends what is no hello, and waits until the node has had enough. */
    private static void violate(Node node, String from) throws IOException {
        try (Socket socket = socket(node, from)) {
            socket.setSoTimeout(15_000);
            socket.getOutputStream().write(GARBAGE);
            assertThat(socket.getInputStream().readAllBytes()).isEmpty();
        } catch (SocketException reset) {
            assertThat(reset).hasMessageContaining("reset");
        }
    }

    private static RawPeer hello(Node node, Socket socket) throws IOException {
        RawPeer peer = new RawPeer(socket);
        peer.send(new Message.Hello(
                StreamOptions.builder().build().cluster(),
                TestTables.id("target"),
                node.id(),
                Message.Role.QUERY,
                UUID.randomUUID(),
                Message.SessionNumber.FIRST,
                0));
        return peer;
    }

    private static List<String> held(StreamingNode node) {
        return node.peerAccess().holds().stream().map(PeerAccess.Hold::who).toList();
    }

    private PlanResult fetch(Node source, StreamOptions options) throws Exception {
        Path target = temp.resolve(UUID.randomUUID().toString());
        try (StreamingNode receiver =
                StreamingNode.start(TestTables.node("target"), options, TestTables.store(target, 1, 0))) {
            return receiver.execute(TestTables.plan(source, 0)).get(20, SECONDS);
        }
    }

    @Test
    void an_address_that_sends_garbage_three_times_waits_and_nobody_else_does() throws Exception {
        Node self = TestTables.node("source");
        try (StreamingNode node = StreamingNode.start(
                self, StreamOptions.builder().build(), TestTables.store(temp.resolve("source"), 1, 64 << 10))) {
            for (int i = 0; i < 3; i++) {
                assertThat(held(node)).isEmpty();
                violate(self, HOSTILE);
            }
            await().alias("a hold").until(() -> !held(node).isEmpty());

            assertThat(node.peerAccess().holds()).singleElement().satisfies(hold -> {
                assertThat(hold.who()).isEqualTo("address " + HOSTILE);
                assertThat(hold.left()).isBetween(Duration.ofSeconds(30), Duration.ofMinutes(1));
            });
            assertThat(node.queues())
                    .filteredOn(queue -> queue.name().equals("holds"))
                    .allMatch(queue -> queue.used() == 1);
            try (RawPeer waiting = hello(self, socket(self, HOSTILE))) {
                waiting.end().ifPresent(told -> {
                    assertThat(told.code()).isEqualTo(ErrorCode.LIMIT);
                    assertThat(told.reason()).isEmpty();
                });
            }
            assertThat(fetch(self, StreamOptions.builder().build()).isComplete())
                    .isTrue();
            assertThat(node.counters().connectionsRefused()).isEqualTo(4);

            assertThat(node.peerAccess().clearHold("address " + HOSTILE)).isTrue();
            try (RawPeer again = hello(self, socket(self, HOSTILE))) {
                again.expect(Message.Welcome.class);
            }
        }
    }

    @Test
    void a_session_that_violates_the_protocol_counts_and_one_that_is_over_or_complains_does_not() throws Exception {
        Node self = TestTables.node("source");
        UUID plan = UUID.randomUUID();
        try (StreamingNode node = StreamingNode.start(
                self, StreamOptions.builder().build(), TestTables.store(temp.resolve("source"), 1, 64 << 10))) {
            for (int i = 0; i < 5; i++) { // a data connection that comes after its session has ended
                try (RawPeer late = RawPeer.open(self, TestTables.id("target"), Message.Role.DATA, plan, 0, i)) {
                    assertThat(late.end().map(Message.SessionFailed::code)).hasValue(ErrorCode.PROTOCOL);
                }
            }
            for (int i = 0; i < 5; i++) { // a receiver that complains of this node
                try (RawPeer peer = RawPeer.welcome(self, TestTables.id("target"), Message.Role.CONTROL, plan, i, 0)) {
                    peer.send(new Message.SessionFailed(ErrorCode.PROTOCOL, "what you say is nonsense"));
                    peer.end();
                }
            }
            await().alias("their end").until(() -> node.sending().join().isEmpty());
            assertThat(held(node)).isEmpty();
            for (int i = 0; i < 3; i++) {
                try (RawPeer peer = RawPeer.welcome(self, TestTables.id("target"), Message.Role.CONTROL, plan, i, 0)) {
                    peer.send(new Message.PrepareSyn(List.of(), false)); // nobody has said what it is about
                    assertThat(peer.end().map(Message.SessionFailed::code)).hasValue(ErrorCode.PROTOCOL);
                }
            }
            await().alias("a hold").until(() -> held(node).equals(List.of("address 127.0.0.1")));
        }
    }

    @Test
    void a_peer_with_a_certificate_comes_in_beside_garbage_from_its_own_address() throws Exception {
        TestAuthority authority = new TestAuthority(temp.resolve("pki"), "authority");
        TlsFiles own = authority.node("target", "127.0.0.1");
        Node self = TestTables.node("source");
        StreamOptions options = StreamOptions.builder()
                .tls(authority.node("source", "127.0.0.1"))
                .build();
        try (StreamingNode node =
                StreamingNode.start(self, options, TestTables.store(temp.resolve("source"), 1, 64 << 10))) {
            for (int i = 0; i < 4; i++) {
                violate(self, "127.0.0.1");
            }
            await().alias("a hold").until(() -> held(node).equals(List.of("address 127.0.0.1")));

            assertThat(fetch(self, StreamOptions.builder().tls(own).build()).isComplete())
                    .as("its certificate has done nothing wrong")
                    .isTrue();

            for (int i = 0; i < 3; i++) {
                try (SSLSocket secured = TlsClient.with(own, self)) {
                    secured.getOutputStream().write(GARBAGE);
                    assertThat(secured.getInputStream().read()).isNegative();
                } catch (SocketException reset) {
                    assertThat(reset).hasMessageContaining("reset");
                }
            }
            await().alias("a second hold").until(() -> held(node).size() == 2);
            assertThat(held(node)).anyMatch(who -> who.startsWith("certificate "));
            PlanResult refused =
                    fetch(self, HostileConnectionsTest.options().tls(own).build());
            assertThat(refused.tables().get(0).reason()).startsWith("LIMIT");
        }
    }

    @Tag("full")
    @Test
    void garbage_at_line_rate_for_a_minute_is_little_in_the_log_and_the_next_honest_connection_works()
            throws Exception {
        Node self = TestTables.node("source");
        try (LogCapture log = new LogCapture();
                StreamingNode node = StreamingNode.start(
                        self, StreamOptions.builder().build(), TestTables.store(temp.resolve("source"), 1, 64 << 10))) {
            try (HostileConnections hostile =
                    new HostileConnections(self.address(), 100, 50, HostileConnections.Kind.GARBAGE)) {
                SECONDS.sleep(60); // the minute that is measured
                System.out.println("garbage: " + hostile.made() + " connections in a minute, " + log.bytes()
                        + " bytes of log, " + held(node).size() + " addresses on hold");
                assertThat(hostile.failure()).isNull();
                assertThat(hostile.made()).isGreaterThan(1_000);
                assertThat(fetch(self, HostileConnectionsTest.options().build()).isComplete())
                        .as("while it goes on")
                        .isTrue();
            }

            assertThat(log.bytes()).isLessThan(1 << 20);
            assertThat(held(node)).isNotEmpty().doesNotContain("address 127.0.0.1");
            assertThat(fetch(self, HostileConnectionsTest.options().build()).isComplete())
                    .isTrue();
        }
    }
}
