package io.sluice.harness.cluster;

import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * An authority for one run, that vouches for the nodes of it: made with the JDK's keytool, good for two days. Its key
 * stays in the work directory, so that nothing else should trust it. Not thread-safe.
 */
final class ThrowAwayAuthority {
    private static final String AUTHORITY = "authority";
    /** Of a file that only the owner of the work directory reads, and whose keys nobody trusts but these nodes. */
    private static final String PASSWORD = "throw-away";

    private static final int LINE_LENGTH = 64;

    private final Path folder;
    private final Path store;

    private ThrowAwayAuthority(Path folder) {
        this.folder = folder;
        this.store = folder.resolve("all.p12");
    }

    /** Makes one in a folder, in the place of what an earlier run left there. */
    static ThrowAwayAuthority create(Path folder) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        ThrowAwayAuthority authority = new ThrowAwayAuthority(folder);
        Files.deleteIfExists(authority.store);
        authority.keytool("-genkeypair", "-alias", AUTHORITY, "-dname", "CN=Sluice throw-away", "-ext", "bc:c=ca:true");
        return authority;
    }

    /** The settings of a node that has a certificate for its address and trusts this authority. */
    Map<String, String> settings(Node node) throws IOException, InterruptedException {
        if (!Files.exists(file(node, ".crt"))) {
            keytool(
                    "-genkeypair",
                    "-alias",
                    node.name(),
                    "-dname",
                    "CN=" + node.name(),
                    "-signer",
                    AUTHORITY,
                    "-ext",
                    "san=ip:" + node.address().host(),
                    "-ext",
                    "eku=serverAuth,clientAuth");
            write(node);
        }
        return Map.of(
                "tls_certificate", file(node, ".crt").toString(),
                "tls_key", file(node, ".key").toString(),
                "tls_trust", folder.resolve("trust.crt").toString());
    }

    private Path file(Node node, String ending) {
        return folder.resolve(node.name() + ending);
    }

    private void write(Node node) throws IOException {
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            Path key = file(node, ".key");
            Files.deleteIfExists(key);
            Files.createFile(key, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(
                    key,
                    pem(
                            "PRIVATE KEY",
                            keys.getKey(node.name(), PASSWORD.toCharArray()).getEncoded()));
            Files.writeString(
                    folder.resolve("trust.crt"),
                    pem("CERTIFICATE", keys.getCertificate(AUTHORITY).getEncoded()));
            Files.writeString(
                    file(node, ".crt"),
                    pem("CERTIFICATE", keys.getCertificate(node.name()).getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificate of " + node + " cannot be read from " + store, e);
        }
    }

    private static String pem(String kind, byte[] der) {
        byte[] newLine = {'\n'};
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(LINE_LENGTH, newLine).encodeToString(der)
                + "\n-----END " + kind + "-----\n";
    }

    private void keytool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(Arrays.asList(arguments));
        command.addAll(List.of("-keystore", store.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
        command.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1", "-validity", "2"));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("keytool " + arguments[0] + " of " + folder + ": " + said.strip());
        }
    }
}
