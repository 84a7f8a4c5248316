package io.sluice.netty.security;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.sluice.streaming.ring.Address;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * What both ends of encrypted connections are made of: TLS 1.3 only, and each end must show a certificate that the
 * other one trusts. There is no fallback: a node with this speaks nothing else. Immutable; thread-safe.
 */
public final class Tls {
    private static final List<String> PROTOCOLS = List.of("TLSv1.3");

    /** The first is the cheapest where the processor has AES, which is everywhere that matters. */
    private static final List<String> CIPHERS =
            List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256");

    private static final long HANDSHAKE_MILLIS = 10_000;

    private final SslProvider provider;
    private final SslContext server;
    private final SslContext client;

    private Tls(SslProvider provider, SslContext server, SslContext client) {
        this.provider = provider;
        this.server = server;
        this.client = client;
    }

    /**
     * Reads the files.
     *
     * @throws IOException if one cannot be read or is not what it should be; it names the file
     */
    public static Tls of(TlsFiles files) throws IOException {
        return of(files, OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK);
    }

    /** The same with a provider of the caller's. */
    static Tls of(TlsFiles files, SslProvider provider) throws IOException {
        File certificate = readable("tls_certificate", files.certificate());
        File key = readable("tls_key", files.key());
        File trust = readable("tls_trust", files.trust());
        try {
            SslContext server = SslContextBuilder.forServer(certificate, key)
                    .trustManager(trust)
                    .clientAuth(ClientAuth.REQUIRE)
                    .protocols(PROTOCOLS)
                    .ciphers(CIPHERS)
                    .sslProvider(provider)
                    .build();
            SslContext client = SslContextBuilder.forClient()
                    .keyManager(certificate, key)
                    .trustManager(trust)
                    .endpointIdentificationAlgorithm(files.verifiesEndpoint() ? "HTTPS" : "")
                    .protocols(PROTOCOLS)
                    .ciphers(CIPHERS)
                    .sslProvider(provider)
                    .build();
            return new Tls(provider, server, client);
        } catch (SSLException | IllegalArgumentException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException(
                    "tls_certificate " + certificate + ", tls_key " + key + ", tls_trust " + trust + ": "
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

    /** Whose implementation encrypts, for reports: {@code BoringSSL} or {@code JDK}. */
    public String library() {
        return provider == SslProvider.JDK ? "JDK" : OpenSsl.versionString();
    }

    /** For a connection that a peer opens: costs a buffer until there is a whole ClientHello. */
    public ChannelHandler server(ByteBufAllocator allocator) {
        return new ClientHelloGate(() -> serverHandler(allocator));
    }

    private SslHandler serverHandler(ByteBufAllocator allocator) {
        SslHandler handler = server.newHandler(allocator);
        handler.setHandshakeTimeoutMillis(HANDSHAKE_MILLIS);
        return handler;
    }

    /** For a connection to {@code peer}. */
    public SslHandler client(ByteBufAllocator allocator, Address peer) {
        SslHandler handler = client.newHandler(allocator, peer.host(), peer.port());
        handler.setHandshakeTimeoutMillis(HANDSHAKE_MILLIS);
        return handler;
    }

    /** For a blocking connection to {@code peer}. */
    public SSLEngine clientEngine(Address peer) {
        return client.newEngine(ByteBufAllocator.DEFAULT, peer.host(), peer.port());
    }
}
