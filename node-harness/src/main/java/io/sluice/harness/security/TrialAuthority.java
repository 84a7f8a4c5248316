package io.sluice.harness.security;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.sluice.netty.security.TlsFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * An authority for trying TLS out: it vouches for nodes, and its own key is forgotten with the object. Files that hold
 * keys are readable by their owner alone. Not thread-safe.
 */
public final class TrialAuthority {
    private static final int DAYS = 90;

    private final Path directory;
    private final X509Bundle root;

    /**
     * A new authority; its certificate is {@code trust.crt} in {@code directory}, which is made.
     *
     * @throws IOException if files cannot be written, or are there already
     */
    public TrialAuthority(Path directory) throws IOException {
        this.directory = Files.createDirectories(directory);
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
     * Makes {@code <name>.crt} and {@code <name>.key} for a node that peers find at {@code address}, an IP address or a
     * host name.
     *
     * @throws IOException if files cannot be written, or are there already
     */
    public TlsFiles issue(String name, String address) throws IOException {
        boolean isIp = address.matches("[0-9.]+|[0-9a-fA-F:]+");
        CertificateBuilder builder = new CertificateBuilder()
                .subject("CN=" + name)
                .ecp256()
                .notAfter(Instant.now().plus(DAYS, ChronoUnit.DAYS));
        X509Bundle own;
        try {
            own = (isIp ? builder.addSanIpAddress(address) : builder.addSanDnsName(address)).buildIssuedBy(root);
        } catch (Exception e) { // so declared by the library
            throw new IOException("no certificate for " + name + " at " + address + ": " + e.getMessage(), e);
        }
        return new TlsFiles(
                write(name + ".crt", own.getCertificatePEM()),
                write(name + ".key", own.getPrivateKeyPEM()),
                directory.resolve("trust.crt"),
                true);
    }

    private Path write(String name, String pem) throws IOException {
        Path file = directory.resolve(name);
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (FileAlreadyExistsException e) {
            throw new IOException(file + ": is there already (expected: a new folder; nothing is overwritten)", e);
        }
        return Files.write(file, pem.getBytes(StandardCharsets.US_ASCII), StandardOpenOption.WRITE);
    }
}
