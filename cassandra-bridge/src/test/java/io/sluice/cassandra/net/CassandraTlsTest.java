package io.sluice.cassandra.net;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.sluice.cassandra.wire.ConnectionLostException;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which certificates are of use, and what is said of those that are not: by us, or by the other end. */
class CassandraTlsTest {
    private static final String PASSWORD = "of the stores";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path folder = Path.of("");

    private static CertificateBuilder certificate(String name) {
        return new CertificateBuilder().subject("CN=" + name).ecp256();
    }

    private static X509Bundle authority() throws Exception {
        return authority("authority");
    }

    private static X509Bundle authority(String name) throws Exception {
        return certificate(name).setIsCertificateAuthority(true).buildSelfSigned();
    }

    private CassandraTls.Store store(KeyStore keys) throws Exception {
        Path file = folder.resolve("us.p12");
        try (OutputStream out = Files.newOutputStream(file)) {
            keys.store(out, PASSWORD.toCharArray());
        }
        return new CassandraTls.Store(file, PASSWORD);
    }

    private static CassandraTls trusting(X509Bundle authority) throws Exception {
        return new CassandraTls(authority.toTrustManagerFactory(), Optional.empty(), false);
    }

    private void assertRefused(CertificateBuilder ours, String because) throws Exception {
        X509Bundle authority = authority();
        CassandraTls.Store store = store(ours.buildIssuedBy(authority).toKeyStore(PASSWORD.toCharArray()));

        assertThatThrownBy(() -> trusting(authority).withKey(store))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(store + ": ")
                .hasMessageContaining(because)
                .hasMessageContaining("is valid from ");
    }

    @Test
    void a_store_without_a_key_is_not_our_identity() throws Exception {
        X509Bundle authority = authority();
        KeyStore trust = KeyStore.getInstance("PKCS12");
        trust.load(null, null);
        trust.setCertificateEntry("authority", authority.getCertificate());
        CassandraTls.Store store = store(trust);

        assertThatThrownBy(() -> trusting(authority).withKey(store))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(store + ": has no private key");
    }

    @Test
    void a_certificate_that_has_expired_is_refused() throws Exception {
        Instant now = Instant.now();

        assertRefused(
                certificate("us").notBefore(now.minus(Duration.ofDays(2))).notAfter(now.minus(Duration.ofDays(1))),
                "has expired");
    }

    @Test
    void a_certificate_of_the_future_is_refused() throws Exception {
        Instant now = Instant.now();

        assertRefused(
                certificate("us").notBefore(now.plus(Duration.ofDays(1))).notAfter(now.plus(Duration.ofDays(2))),
                "is not valid yet");
    }

    private static CassandraTls identity(X509Bundle authority, CertificateBuilder certificate, boolean verifiesHost)
            throws Exception {
        return new CassandraTls(
                authority.toTrustManagerFactory(),
                Optional.of(certificate.buildIssuedBy(authority).toKeyManagerFactory()),
                verifiesHost);
    }

    /** Connects to a node. */
    private static void connect(CassandraTls ours, CassandraTls nodes) throws Exception {
        try (CassandraLinks node = CassandraLinks.create(Optional.of(nodes), 1, PATIENCE);
                CassandraLinks links = CassandraLinks.create(Optional.of(ours), 1, PATIENCE);
                Links.OpenPort port = node.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), link -> {}, (peer, reason) -> {})) {
            links.connect(port.address(), Optional.empty()).close();
        }
    }

    @Test
    void a_certificate_of_another_host_is_the_reason_that_is_given() throws Exception {
        X509Bundle authority = authority();
        CassandraTls node = identity(authority, certificate("node").addSanDnsName("other.example"), false);

        assertThatThrownBy(() -> connect(identity(authority, certificate("us"), true), node))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining(": No subject alternative names matching IP address 127.0.0.1 found");
    }

    @Test
    void a_certificate_that_is_not_trusted_is_the_reason_that_is_given() throws Exception {
        CassandraTls node = identity(authority(), certificate("node"), false);

        assertThatThrownBy(() -> connect(trusting(authority("another")), node))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining(": unable to find valid certification path to requested target");
    }

    /** With TLS 1.3 the node refuses us when the handshake is complete for us. */
    @Test
    void the_alert_of_a_node_that_wants_our_certificate_is_the_reason_that_is_given() throws Exception {
        X509Bundle authority = authority();
        CassandraTls node = identity(authority, certificate("node"), false);

        assertThatThrownBy(() -> connect(trusting(authority), node))
                .isInstanceOf(StreamException.class)
                .hasCauseInstanceOf(ConnectionLostException.class)
                .hasMessageMatching("(?i).*certificate.?required.*");
    }

    @Test
    void a_node_that_closes_during_the_handshake_is_said_to_do_so() throws Exception {
        try (ServerSocket node = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                CassandraLinks links = CassandraLinks.create(Optional.of(trusting(authority())), 1, PATIENCE)) {
            CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> {
                try (Socket connection = node.accept()) {
                    connection.getInputStream().read(new byte[1 << 16]); // all: or the kernel resets the connection
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });

            assertThatThrownBy(() -> links.connect((InetSocketAddress) node.getLocalSocketAddress(), Optional.empty()))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining(": closed during the TLS handshake (does the node use TLS");
            closing.join();
        }
    }
}
