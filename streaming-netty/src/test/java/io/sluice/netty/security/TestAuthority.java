package io.sluice.netty.security;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.RevocationServer;
import io.netty.pkitesting.X509Bundle;
import io.sluice.netty.TlsFiles;
import io.sluice.streaming.store.NodeIdentities;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A throw-away authority whose certificates last as long as a test. */
public final class TestAuthority {
    private final X509Bundle root;
    private final Path directory;
    private final Map<String, X509Bundle> issued = new HashMap<>();

    /** @param directory where files are put */
    public TestAuthority(Path directory, String name) throws Exception {
        this.directory = Files.createDirectories(directory);
        this.root = new CertificateBuilder()
                .subject("CN=" + name)
                .ecp256()
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    /** The files of a node that is found at {@code address} and trusts this authority. */
    public TlsFiles node(String name, String address) throws Exception {
        return node(name, address, Instant.now().plusSeconds(3_600));
    }

    /** The same with a certificate that is good until {@code end}. */
    public TlsFiles node(String name, String address, Instant end) throws Exception {
        UUID id = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        return node(name, address, end.minusSeconds(7_200), end, List.of(NodeIdentities.NODE_URN + id));
    }

    /** The same with these alternative names, instead of that of the node. */
    public TlsFiles node(String name, String address, List<String> uris) throws Exception {
        Instant now = Instant.now();
        return node(name, address, now.minusSeconds(3_600), now.plusSeconds(3_600), uris);
    }

    /** The same, good from {@code begin} to {@code end}. */
    public TlsFiles node(String name, String address, Instant begin, Instant end, List<String> uris) throws Exception {
        CertificateBuilder builder = new CertificateBuilder()
                .subject("CN=" + name)
                .ecp256()
                .notBefore(begin)
                .notAfter(end)
                .addSanIpAddress(address);
        for (String uri : uris) {
            builder.addSanUriName(uri);
        }
        X509Bundle own = builder.buildIssuedBy(root);
        issued.put(name, own);
        return new TlsFiles(
                write(name + ".crt", own.getCertificatePEM()),
                write(name + ".key", own.getPrivateKeyPEM()),
                write("trust.crt", root.getCertificatePEM()),
                true);
    }

    /** The same as {@link #node(String, String)}, but for that the node has signed its certificate itself. */
    public TlsFiles selfSigned(String name, String address) throws Exception {
        UUID id = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        X509Bundle own = new CertificateBuilder()
                .subject("CN=" + name)
                .ecp256()
                .addSanIpAddress(address)
                .addSanUriName(NodeIdentities.NODE_URN + id)
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        return new TlsFiles(
                write(name + ".crt", own.getCertificatePEM()),
                write(name + ".key", own.getPrivateKeyPEM()),
                write("trust.crt", root.getCertificatePEM()),
                true);
    }

    /** A list of the certificates of nodes, issued before, that this authority has revoked. */
    public Path revoked(String... names) throws Exception {
        RevocationServer server = RevocationServer.getInstance(); // which knows how to write such a list
        server.register(root);
        for (String name : names) {
            server.revoke(issued.get(name), Instant.now().minusSeconds(60));
        }
        try (InputStream list = server.getCrlUri(root).toURL().openStream()) {
            return Files.write(directory.resolve("revoked.crl"), list.readAllBytes());
        }
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }
}
