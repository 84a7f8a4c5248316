package io.sluice.streaming.store;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The other end of a connection. Immutable.
 *
 * @param nodeId the node that it says it is; if it has shown a certificate, this one speaks for that node
 * @param address its IP address, or the host name at which it was found
 * @param certificates what it has proved itself by, its own first; empty in plain text, where nothing is proved
 */
public record Peer(UUID nodeId, String address, List<X509Certificate> certificates) {
    public Peer {
        certificates = List.copyOf(certificates);
    }

    /** Whether it has proved which node it is. */
    public boolean isAuthenticated() {
        return !certificates.isEmpty();
    }

    /** SHA-256 of its own certificate, in lower-case hexadecimal; empty if it has shown none. */
    public Optional<String> fingerprint() {
        return certificates.stream().findFirst().map(Peer::fingerprint);
    }

    /** SHA-256 of a certificate, in lower-case hexadecimal. */
    public static String fingerprint(X509Certificate certificate) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a certificate that was verified has no encoding", e);
        }
    }

    /** For logs: address, node and certificate. */
    @Override
    public String toString() {
        return address + " (node " + nodeId
                + fingerprint()
                        .map(print -> ", certificate " + print.substring(0, 16))
                        .orElse("") + ")";
    }
}
