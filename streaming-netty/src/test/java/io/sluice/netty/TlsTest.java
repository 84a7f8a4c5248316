package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.netty.security.TestAuthority;
import io.sluice.netty.security.Tls;
import io.sluice.streaming.Limit;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that prove to each other who they are, and those that cannot. */
@ExtendWith(LeakCheck.class)
class TlsTest {
    private static final Path FIXTURE =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "multi_sstable", "nb");

    private static final int ALERT = 21;

    @TempDir
    Path temp;

    private TestAuthority authority;

    @BeforeEach
    void makeAuthority() throws Exception {
        authority = new TestAuthority(temp.resolve("pki"), "authority");
    }

    private static StreamOptions.Builder options() {
        return StreamOptions.builder()
                .retries(new RetryPolicy(1, 1, RetryPolicy.DEFAULTS.firstPause(), RetryPolicy.DEFAULTS.longestPause()));
    }

    private TwoNodes cluster(StreamOptions source, StreamOptions target) throws Exception {
        return new TwoNodes(temp, FIXTURE, source, target);
    }

    private static StreamOptions with(TlsFiles files) {
        return options().tls(files).build();
    }

    @Test
    void moves_every_file_unchanged() throws Exception {
        try (TwoNodes cluster =
                cluster(with(authority.node("source", "127.0.0.1")), with(authority.node("target", "127.0.0.1")))) {
            PlanResult result = cluster.fetchAll();

            assertThat(result.tables()).allMatch(PlanResult.TableResult::installed, "installed");
            cluster.assertTargetEqualsSource();
            cluster.assertNothingIsLeftBehind();
        }
    }

    @Test
    void a_node_whose_host_has_no_address_says_so() {
        Node nowhere = new Node(TestTables.id("nowhere"), "nowhere", new Address("no such host", 17_012), List.of());

        assertThatThrownBy(() -> StreamingNode.start(
                        nowhere,
                        with(authority.node("nowhere", "127.0.0.1")),
                        TestTables.store(temp.resolve("nowhere"), 1, 0)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot listen on no such host:17012: its host cannot be resolved");
    }

    @Test
    void moves_at_a_limited_rate_over_two_connections() throws Exception {
        StreamOptions slow = options()
                .tls(authority.node("source", "127.0.0.1"))
                .throughput(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, 4 << 20)
                .build();
        StreamOptions two = options()
                .tls(authority.node("target", "127.0.0.1"))
                .connectionsPerHost(2)
                .build();
        try (TwoNodes cluster = cluster(slow, two)) {
            assertThat(cluster.fetchAll().isComplete()).isTrue();
            cluster.assertTargetEqualsSource();
        }
    }

    @Test
    void nobody_can_read_along() throws Exception {
        // What is heard of the port by one who does not speak TLS: nothing of the protocol.
        try (TwoNodes cluster = cluster(
                        with(authority.node("source", "127.0.0.1")), with(authority.node("target", "127.0.0.1")));
                Socket stranger = new Socket(
                        InetAddress.getLoopbackAddress(),
                        cluster.sourceNode.address().port())) {
            stranger.setSoTimeout(15_000);
            stranger.getOutputStream().write("hello\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            InputStream answer = stranger.getInputStream();
            assertThat(new String(answer.readAllBytes(), StandardCharsets.ISO_8859_1))
                    .doesNotContain("sluice");
        }
    }

    @Test
    void a_node_in_plain_text_is_refused_by_one_with_tls() throws Exception {
        try (TwoNodes cluster =
                cluster(with(authority.node("source", "127.0.0.1")), options().build())) {
            assertRefused(cluster, "PEER_LOST");
        }
    }

    @Test
    void a_node_with_tls_does_not_fall_back_to_plain_text() throws Exception {
        try (TwoNodes cluster = cluster(options().build(), with(authority.node("target", "127.0.0.1")))) {
            assertRefused(cluster, "PEER_LOST");
        }
    }

    @Test
    void a_receiver_of_another_authority_is_refused() throws Exception {
        TlsFiles foreign = new TestAuthority(temp.resolve("foreign"), "foreign").node("target", "127.0.0.1");
        TlsFiles own = authority.node("source", "127.0.0.1");
        TlsFiles target =
                new TlsFiles(foreign.certificate(), foreign.key(), own.trust(), true); // trusts, is not trusted
        try (TwoNodes cluster = cluster(with(own), with(target))) {
            assertRefused(cluster, "TLS");
        }
    }

    @Test
    void a_source_of_another_authority_is_refused() throws Exception {
        TlsFiles foreign = new TestAuthority(temp.resolve("foreign"), "foreign").node("source", "127.0.0.1");
        TlsFiles own = authority.node("target", "127.0.0.1");
        TlsFiles source = new TlsFiles(foreign.certificate(), foreign.key(), own.trust(), true);
        try (TwoNodes cluster = cluster(with(source), with(own))) {
            assertRefused(cluster, "TLS");
        }
    }

    @Test
    void a_source_that_is_found_at_another_address_than_its_certificate_says_is_refused() throws Exception {
        try (TwoNodes cluster =
                cluster(with(authority.node("source", "192.0.2.1")), with(authority.node("target", "127.0.0.1")))) {
            assertRefused(cluster, "TLS");
        }
    }

    @Test
    void the_address_counts_not_where_it_is_told_so() throws Exception {
        TlsFiles target = authority.node("target", "127.0.0.1");
        TlsFiles lenient = new TlsFiles(target.certificate(), target.key(), target.trust(), false);
        try (TwoNodes cluster = cluster(with(authority.node("source", "192.0.2.1")), with(lenient))) {
            assertThat(cluster.fetchAll().isComplete()).isTrue();
        }
    }

    @Test
    void an_expired_certificate_is_refused() throws Exception {
        TlsFiles expired = authority.node("source", "127.0.0.1", Instant.now().minusSeconds(60));
        try (TwoNodes cluster = cluster(with(expired), with(authority.node("target", "127.0.0.1")))) {
            assertRefused(cluster, "TLS");
        }
    }

    @Test
    void files_that_are_not_what_they_should_be_are_named() throws Exception {
        TlsFiles good = authority.node("node", "127.0.0.1");
        Path missing = temp.resolve("missing.crt");
        Path garbage = Files.writeString(temp.resolve("garbage.key"), "no key");

        assertThatThrownBy(() -> Tls.of(new TlsFiles(missing, good.key(), good.trust(), true)))
                .hasMessage("tls_certificate: " + missing + " cannot be read");
        assertThatThrownBy(() -> Tls.of(new TlsFiles(good.certificate(), garbage, good.trust(), true)))
                .hasMessageContaining("garbage.key")
                .hasMessageContaining("expected: PEM files");
    }

    /** A client of that version, with one suite. */
    @ParameterizedTest
    @CsvSource({
        "TLS 1.0, 0x0301, 0xc009, false",
        "TLS 1.1, 0x0302, 0xc009, false",
        "TLS 1.2, 0x0303, 0xc02b, false",
        "anonymous, 0x0303, 0xc018, false",
        "without encryption, 0x0303, 0xc006, false",
        "TLS 1.3 without encryption, 0x0303, 0xc0b4, true"
    })
    void an_older_protocol_or_a_suite_that_hides_or_proves_nothing_is_refused_logged_and_counted(
            String what, String version, String suite, boolean isTls13) throws Exception {
        Node self = TestTables.node("source");
        try (LogCapture log = new LogCapture();
                StreamingNode node = StreamingNode.start(
                        self, with(authority.node("source", "127.0.0.1")), TestTables.store(temp.resolve("s"), 1, 0));
                Socket client = new Socket(
                        InetAddress.getLoopbackAddress(), self.address().port())) {
            client.setSoTimeout(15_000);
            client.getOutputStream().write(clientHello(Integer.decode(version), Integer.decode(suite), isTls13));

            assertThat(client.getInputStream().read())
                    .as("an alert to %s", what)
                    .isEqualTo(ALERT);
            client.getInputStream().readAllBytes();

            await().alias("a count").until(() -> node.counters().connectionsRefused() == 1);
            await().alias("a line")
                    .until(() -> !log.with("refused 127.0.0.1: UNTRUSTED").isEmpty());
            assertThat(log.with("refused 127.0.0.1: UNTRUSTED")).hasSize(1);
            assertThat(node.peerAccess().holds()).isEmpty();
        }
    }

    /** As short as one may be. */
    private static byte[] clientHello(int version, int suite, boolean isTls13) {
        byte[] supported = isTls13 ? new byte[] {0, 7, 0, 43, 0, 3, 2, 3, 4} : new byte[] {0, 0};
        int body = 2 + 32 + 1 + 2 + 2 + 1 + 1 + supported.length;
        return ByteBuffer.allocate(5 + 4 + body)
                .put((byte) 22)
                .putShort((short) 0x0301)
                .putShort((short) (4 + body))
                .putInt((1 << 24) | body)
                .putShort((short) version)
                .put(new byte[32])
                .put((byte) 0)
                .putShort((short) 2)
                .putShort((short) suite)
                .put((byte) 1)
                .put((byte) 0)
                .put(supported)
                .array();
    }

    @Test
    void a_client_without_a_certificate_is_refused() throws Exception {
        Node self = TestTables.node("source");
        try (LogCapture log = new LogCapture();
                StreamingNode node = StreamingNode.start(
                        self, with(authority.node("source", "127.0.0.1")), TestTables.store(temp.resolve("s"), 1, 0));
                SSLSocket client = TlsClient.anonymous(self)) {
            assertThatThrownBy(() -> {
                        client.startHandshake(); // in TLS 1.3 the client is done before the server has looked
                        client.getInputStream().read();
                    })
                    .isInstanceOf(IOException.class);

            await().alias("a count").until(() -> node.counters().connectionsRefused() == 1);
            assertThat(log.with("refused 127.0.0.1: UNTRUSTED")).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void plain_bytes_where_tls_is_spoken_and_tls_where_it_is_not_are_refused_logged_and_counted(boolean isTls)
            throws Exception {
        Node self = TestTables.node("source");
        StreamOptions options =
                isTls ? with(authority.node("source", "127.0.0.1")) : options().build();
        TlsFiles files = authority.node("target", "127.0.0.1");
        try (LogCapture log = new LogCapture();
                StreamingNode node = StreamingNode.start(self, options, TestTables.store(temp.resolve("s"), 1, 0))) {
            if (isTls) {
                try (Socket plain = new Socket(
                        InetAddress.getLoopbackAddress(), self.address().port())) {
                    plain.getOutputStream().write("a hello of some kind, in plain text".getBytes(US_ASCII));
                    await().alias("a count").until(() -> node.counters().connectionsRefused() == 1);
                }
            } else {
                try (SSLSocket secured = TlsClient.with(files, self)) {
                    assertThatThrownBy(secured::startHandshake).isInstanceOf(IOException.class);
                }
                await().alias("a count").until(() -> node.counters().connectionsRefused() == 1);
            }

            assertThat(log.with("refused 127.0.0.1: ")).hasSize(1);
        }
    }

    @Test
    void what_was_negotiated_is_looked_at() throws Exception {
        for (List<String> agreed : List.of(
                List.of("TLSv1.2", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"),
                List.of("TLSv1.3", "TLS_AES_128_CCM_SHA256"))) {
            SSLSession session = session(agreed.get(0), agreed.get(1));
            assertThatThrownBy(() -> Tls.requireNegotiated(session))
                    .hasMessageStartingWith("negotiated " + agreed.get(0) + " with " + agreed.get(1));
        }
        Tls.requireNegotiated(session("TLSv1.3", "TLS_AES_256_GCM_SHA384"));
    }

    /** One that says no more than what was agreed on. */
    private static SSLSession session(String protocol, String suite) {
        return (SSLSession) Proxy.newProxyInstance(
                TlsTest.class.getClassLoader(),
                new Class<?>[] {SSLSession.class},
                (self, method, arguments) -> switch (method.getName()) {
                    case "getProtocol" -> protocol;
                    case "getCipherSuite" -> suite;
                    default -> throw new AssertionError(method);
                });
    }

    private static void assertRefused(TwoNodes cluster, String reason) throws Exception {
        PlanResult result = cluster.fetchAll();

        assertThat(result.isComplete()).isFalse();
        assertThat(result.tables().get(0).reason()).contains(reason);
        assertThat(cluster.targetStore.live).isEmpty();
    }
}
