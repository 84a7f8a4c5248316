package io.sluice.harness.security;

import com.google.common.net.InetAddresses;
import com.google.common.net.InternetDomainName;
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
 * A certificate authority for trying out TLS: issues certificates for nodes; its own key is never stored. Files with
 * keys are readable by their owner only. Not thread-safe.
 */
public final class TrialAuthority {
    /** The name of the authority's own files: no node's. */
    public static final String TRUST = "trust";

    private static final int DAYS = 90;

    private final Path directory;
    private final X509Bundle root;
    private final Map<String, X509Bundle> issued = new HashMap<>();

    /**
     * Creates an authority; its certificate is {@code trust.crt} in {@code directory}, which is created.
     *
     * @throws IOException if files cannot be written, or already exist
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
        } catch (Exception e) { // declared by the library
            throw new IOException("cannot create a certificate: " + e.getMessage(), e);
        }
        write(TRUST + ".crt", root.getCertificatePEM());
    }

    /** Whether a certificate can name {@code text}: an IP address without a zone, or a host name. */
    public static boolean isAddress(String text) {
        return text.indexOf('%') < 0 && (InetAddresses.isInetAddress(text) || InternetDomainName.isValid(text));
    }

    /**
     * Creates {@code <name>.crt} and {@code <name>.key} for node {@code id} at {@code address}, an IP address or a host
     * name ({@link #isAddress}).
     *
     * @throws IOException if files cannot be written, or already exist
     */
    public TlsFiles issue(String name, String address, UUID id) throws IOException {
        boolean isIp = InetAddresses.isInetAddress(address);
        CertificateBuilder builder = new CertificateBuilder()
                .subject("CN=" + name)
                .ecp256()
                .notAfter(Instant.now().plus(DAYS, ChronoUnit.DAYS));
        X509Bundle own;
        try {
            builder.addSanUriName(NodeIdentities.NODE_URN + id);
            String plain = isIp ? InetAddresses.forString(address).getHostAddress() : address;
            own = (isIp ? builder.addSanIpAddress(plain) : builder.addSanDnsName(address)).buildIssuedBy(root);
        } catch (Exception e) { // declared by the library
            throw new IOException(
                    "cannot create a certificate for " + name + " at " + address + ": " + e.getMessage(), e);
        }
        issued.put(name, own);
        return new TlsFiles(
                write(name + ".crt", own.getCertificatePEM()),
                write(name + ".key", own.getPrivateKeyPEM()),
                directory.resolve(TRUST + ".crt"),
                true);
    }

    /**
     * Creates {@code <name>.p12}, with certificate and key of a node that was {@link #issue issued}, and
     * {@code trust.p12}, in the form that Cassandra and its tools need.
     *
     * @param password of both stores
     * @throws IOException if files cannot be written, or {@code <name>.p12} already exists
     */
    public void store(String name, String password) throws IOException {
        X509Bundle own = Optional.ofNullable(issued.get(name))
                .orElseThrow(() -> new IllegalArgumentException(name + ": no certificate was issued"));
        try {
            KeyStore keys = empty();
            keys.setKeyEntry(name, own.getKeyPair().getPrivate(), password.toCharArray(), own.getCertificatePath());
            write(name + ".p12", bytes(keys, password));
            if (!Files.exists(directory.resolve(TRUST + ".p12"))) {
                KeyStore trust = empty();
                trust.setCertificateEntry(TRUST, root.getCertificate());
                write(TRUST + ".p12", bytes(trust, password));
            }
        } catch (GeneralSecurityException e) {
            throw new IOException("cannot create a store for " + name + ": " + e.getMessage(), e);
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
            throw new IOException(file + ": already exists (expected: a new folder; nothing is overwritten)", e);
        }
        return Files.write(file, content, StandardOpenOption.WRITE);
    }
}
