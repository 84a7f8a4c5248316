package io.sluice.netty.security;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.sluice.netty.TlsFiles;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.store.Authorizer.Peer;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;

/**
 * Creates both ends of encrypted connections: TLS 1.3 only, and each end must show a certificate that the other end
 * trusts. There is no fallback to plain text. Thread-safe.
 */
public final class Tls {
    private static final List<String> PROTOCOLS = List.of("TLSv1.3");

    /** The first is the cheapest on processors with AES instructions, which all relevant ones have. */
    private static final List<String> CIPHERS =
            List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256");

    private static final long HANDSHAKE_MILLIS = 10_000;

    private final SslProvider provider;
    private final TlsFiles files;
    private volatile Contexts contexts;
    private volatile List<FileTime> looked;

    /** The result of reading the files once. */
    private record Contexts(SslContext server, SslContext client, Trust trust, Instant expires) {}

    private Tls(SslProvider provider, TlsFiles files) throws IOException {
        this.provider = provider;
        this.files = files;
        this.looked = times(files);
        this.contexts = read(files, provider);
    }

    /**
     * Reads the files.
     *
     * @throws IOException if a file cannot be read or is malformed; the message names the file
     */
    public static Tls of(TlsFiles files) throws IOException {
        return of(files, OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK);
    }

    /** Reads the files, for a given provider. */
    static Tls of(TlsFiles files, SslProvider provider) throws IOException {
        return new Tls(provider, files);
    }

    /**
     * Reads the files again: new connections use them, open connections continue.
     *
     * @throws IOException if a file cannot be read or is malformed; the previous contents stay in use
     */
    public void reload() throws IOException {
        contexts = read(files, provider);
    }

    /**
     * Reads the files again if one has changed since the last call.
     *
     * @return whether a file had changed
     * @throws IOException as {@link #reload}, once for each change of a file
     */
    public boolean reloadIfWritten() throws IOException {
        List<FileTime> now = times(files);
        if (now.equals(looked)) {
            return false;
        }
        looked = now;
        reload();
        return true;
    }

    private static List<FileTime> times(TlsFiles files) throws IOException {
        List<FileTime> times = new ArrayList<>();
        List<Path> read = new ArrayList<>(List.of(files.certificate(), files.key(), files.trust()));
        files.revoked().ifPresent(read::add);
        for (Path file : read) {
            times.add(Files.exists(file) ? Files.getLastModifiedTime(file) : FileTime.fromMillis(0));
        }
        return times;
    }

    /**
     * Why a connected peer would be refused now: a revocation list that was read since then names one of its
     * certificates. Empty if none does.
     */
    public Optional<String> revoked(List<X509Certificate> chain) {
        return contexts.trust()
                .revoked(chain)
                .map(revoked -> "REVOKED: certificate " + revoked.getSubjectX500Principal() + ", fingerprint "
                        + Peer.fingerprint(revoked) + ", is in a list of tls_revoked");
    }

    /** When this node's certificate, or one in its chain, expires. */
    public Instant expires() {
        return contexts.expires();
    }

    private static Instant expires(File certificates) throws IOException {
        try (InputStream in = Files.newInputStream(certificates.toPath())) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in).stream()
                    .map(certificate ->
                            ((X509Certificate) certificate).getNotAfter().toInstant())
                    .min(Comparator.naturalOrder())
                    .orElse(Instant.MAX);
        } catch (CertificateException e) {
            throw new IOException("tls_certificate " + certificates + ": " + e.getMessage(), e);
        }
    }

    private static Contexts read(TlsFiles files, SslProvider provider) throws IOException {
        File certificate = readable("tls_certificate", files.certificate());
        File key = readable("tls_key", files.key());
        File trust = readable("tls_trust", files.trust());
        if (files.revoked().isPresent()) {
            readable("tls_revoked", files.revoked().get());
        }
        try {
            Trust trusted = Trust.of(files);
            SslContext server = SslContextBuilder.forServer(certificate, key)
                    .trustManager(trusted)
                    .clientAuth(ClientAuth.REQUIRE)
                    .protocols(PROTOCOLS)
                    .ciphers(CIPHERS)
                    .sslProvider(provider)
                    .build();
            SslContext client = SslContextBuilder.forClient()
                    .keyManager(certificate, key)
                    .trustManager(trusted)
                    .protocols(PROTOCOLS)
                    .ciphers(CIPHERS)
                    .sslProvider(provider)
                    .build();
            return new Contexts(server, client, trusted, expires(certificate));
        } catch (SSLException | GeneralSecurityException | IllegalArgumentException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException(
                    "tls_certificate " + certificate + ", tls_key " + key + ", tls_trust " + trust
                            + files.revoked()
                                    .map(lists -> ", tls_revoked " + lists)
                                    .orElse("") + ": "
                            + cause.getMessage() + " (expected: PEM files, the key as PKCS#8 without a password)",
                    e);
        }
    }

    private static File readable(String setting, Path file) throws IOException {
        if (!Files.isReadable(file)) {
            throw new IOException(setting + ": " + file + " cannot be read");
        }
        return file.toFile();
    }

    /**
     * Checks the negotiated protocol and cipher.
     *
     * @throws SSLException if it is not TLS 1.3 with one of the ciphers that this node offers
     */
    public static void requireNegotiated(SSLSession session) throws SSLException {
        if (!PROTOCOLS.contains(session.getProtocol()) || !CIPHERS.contains(session.getCipherSuite())) {
            throw new SSLException("negotiated " + session.getProtocol() + " with " + session.getCipherSuite()
                    + " (expected: " + PROTOCOLS + " with one of " + CIPHERS + ")");
        }
    }

    /** The name of the TLS implementation, for reports: {@code BoringSSL} or {@code JDK}. */
    public String library() {
        return provider == SslProvider.JDK ? "JDK" : OpenSsl.versionString();
    }

    /** For a connection that a peer opens: uses only a buffer until a whole ClientHello has arrived. */
    public ChannelHandler server(ByteBufAllocator allocator) {
        return new ClientHelloGate(() -> serverHandler(allocator));
    }

    private SslHandler serverHandler(ByteBufAllocator allocator) {
        SslHandler handler = contexts.server().newHandler(allocator);
        handler.setHandshakeTimeoutMillis(HANDSHAKE_MILLIS);
        return handler;
    }

    /** For a connection to {@code peer}. */
    public SslHandler client(ByteBufAllocator allocator, Address peer) {
        SslHandler handler = contexts.client().newHandler(allocator, peer.host(), peer.port());
        identify(handler.engine(), files.verifiesEndpoint());
        handler.setHandshakeTimeoutMillis(HANDSHAKE_MILLIS);
        return handler;
    }

    /**
     * For a blocking connection to {@code peer}. Of a handler that has no channel: BoringSSL's engines of handlers
     * decrypt many records in one call, those of {@link SslContext#newEngine} one.
     */
    public SSLEngine clientEngine(Address peer) {
        return client(ByteBufAllocator.DEFAULT, peer).engine();
    }

    /**
     * Sets whether the server's certificate must name the host that this node connected to. Set on each engine:
     * contexts of Netty 4.1.96 have no such option, and those of 4.2 check the host by default.
     */
    public static void identify(SSLEngine engine, boolean verifiesHost) {
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm(verifiesHost ? "HTTPS" : "");
        engine.setSSLParameters(parameters);
    }
}
