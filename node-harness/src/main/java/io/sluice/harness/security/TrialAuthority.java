package io.sluice.harness.security;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.sluice.netty.TlsFiles;
import io.sluice.sstable.encoding.OwnerOnly;
import io.sluice.streaming.store.NodeIdentities;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * An authority for trying TLS out: it vouches for nodes, and its own key is forgotten with the object. Files that hold
 * keys are readable by their owner alone. Not thread-safe.
 */
public final class TrialAuthority {
    private static final int DAYS = 90;

    private final Path directory;
    private final X509Bundle root;
    private final Map<String, X509Bundle> issued = new HashMap<>();

    /**
     * A new authority; its certificate is {@code trust.crt} in {@code directory}, which is made.
     *
     * @throws IOException if files cannot be written, or are there already
     */
    public TrialAuthority(Path directory) throws IOException {
        this.directory = OwnerOnly.createDirectories(directory);
        try {
            this.root = new CertificateBuilder()
                    .subject("CN=Sluice trial authority")
                    .ecp256()
                    .notAfter(Instant.now().plus(DAYS, ChronoUnit.DAYS))
                    .setIsCertificateAuthority(true)
                    .buildSelfSigned();
        } catch (Exception e) { // so declared by the library
            throw new IOException("no certificate could be made: " + e.getMessage(), e);
        }
        write("trust.crt", root.getCertificatePEM());
    }

    /**
     * Makes {@code <name>.crt} and {@code <name>.key} for the node {@code id} that peers find at {@code address}, an IP
     * address or a host name.
     *
     * @throws IOException if files cannot be written, or are there already
     */
    public TlsFiles issue(String name, String address, UUID id) throws IOException {
        boolean isIp = address.matches("[0-9.]+|[0-9a-fA-F:]+");
        CertificateBuilder builder = new CertificateBuilder()
                .subject("CN=" + name)
                .ecp256()
                .notAfter(Instant.now().plus(DAYS, ChronoUnit.DAYS));
        X509Bundle own;
        try {
            builder.addSanUriName(NodeIdentities.NODE_URN + id);
            own = (isIp ? builder.addSanIpAddress(address) : builder.addSanDnsName(address)).buildIssuedBy(root);
        } catch (Exception e) { // so declared by the library
            throw new IOException("no certificate for " + name + " at " + address + ": " + e.getMessage(), e);
        }
        issued.put(name, own);
        return new TlsFiles(
                write(name + ".crt", own.getCertificatePEM()),
                write(name + ".key", own.getPrivateKeyPEM()),
                directory.resolve("trust.crt"),
                true);
    }

    /**
     * Makes {@code <name>.p12}, with certificate and key of a node that {@link #issue} made, and {@code trust.p12}, as
     * Cassandra and its tools want them.
     *
     * @param password of both stores
     * @throws IOException if files cannot be written, or {@code <name>.p12} is there already
     */
    public void store(String name, String password) throws IOException {
        X509Bundle own = Optional.ofNullable(issued.get(name))
                .orElseThrow(() -> new IllegalArgumentException(name + ": was not issued"));
        try {
            KeyStore keys = empty();
            keys.setKeyEntry(name, own.getKeyPair().getPrivate(), password.toCharArray(), own.getCertificatePath());
            write(name + ".p12", bytes(keys, password));
            if (!Files.exists(directory.resolve("trust.p12"))) {
                KeyStore trust = empty();
                trust.setCertificateEntry("trust", root.getCertificate());
                write("trust.p12", bytes(trust, password));
            }
        } catch (GeneralSecurityException e) {
            throw new IOException("no store for " + name + ": " + e.getMessage(), e);
        }
    }

    private static KeyStore empty() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static byte[] bytes(KeyStore store, String password) throws IOException, GeneralSecurityException {
        var bytes = new ByteArrayOutputStream();
        store.store(bytes, password.toCharArray());
        return bytes.toByteArray();
    }

    private Path write(String name, String pem) throws IOException {
        return write(name, pem.getBytes(StandardCharsets.US_ASCII));
    }

    private Path write(String name, byte[] content) throws IOException {
        Path file = directory.resolve(name);
        try {
            OwnerOnly.createFile(file);
        } catch (FileAlreadyExistsException e) {
            throw new IOException(file + ": is there already (expected: a new folder; nothing is overwritten)", e);
        }
        return Files.write(file, content, StandardOpenOption.WRITE);
    }
}
