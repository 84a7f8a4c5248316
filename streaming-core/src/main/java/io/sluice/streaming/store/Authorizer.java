package io.sluice.streaming.store;

import io.sluice.sstable.token.TokenRanges;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What the embedding database lets a peer do. Each question is asked for each plan again, on threads that may wait; no
 * answer within a second, an exception and {@code null} mean no. If TLS is on, the peer has proved by its certificate
 * that it is the node that it says it is before anything is asked.
 *
 * <p>Thread-safe.
 */
public interface Authorizer {
    /** Whoever is let in by TLS may fetch and offer every table, and administrators may give every order. */
    Authorizer EVERYTHING = new Authorizer() {};

    /**
     * Whether the peer may connect to this node; of running sessions asked again, at most once a second, when the peer
     * sends a message: if the answer has become no, its session ends.
     */
    default Access mayConnect(Peer peer) {
        return Access.granted();
    }

    /** Whether the peer may fetch these ranges of a table of this node, or learn how much of them there is. */
    default Access mayFetch(Peer peer, UUID planId, TableRef table, TokenRanges ranges) {
        return Access.granted();
    }

    /** Whether this node takes these ranges of a table from the peer, when a plan of this node says so. */
    default Access mayOffer(Peer peer, UUID planId, TableRef table, TokenRanges ranges) {
        return Access.granted();
    }

    /**
     * Whether an administrator may give an order. Default: whoever has reached the point where orders are given has
     * proved that already, as by the token of an admin endpoint.
     *
     * @param who the identity, as the embedder knows it
     * @param order its name, as {@code POST /cancel}
     */
    default Access mayAdminister(String who, String order) {
        return Access.granted();
    }

    /**
     * The answer of an {@link Authorizer}. Immutable.
     *
     * @param reason for the log of this node if it is denied; sent to the peer only if it has proved who it is
     */
    record Access(boolean isGranted, String reason) {
        /** It may. */
        public static Access granted() {
            return new Access(true, "");
        }

        /** It may not. */
        public static Access denied(String reason) {
            return new Access(false, reason);
        }
    }

    /**
     * The other end of a connection. Immutable.
     *
     * @param nodeId the node that it says it is; if it has shown a certificate, this one speaks for that node
     * @param address its IP address, or the host name at which it was found
     * @param certificates what it has proved itself by, its own first; empty in plain text, where nothing is proved
     */
    record Peer(UUID nodeId, String address, List<X509Certificate> certificates) {
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
                return HexFormat.of()
                        .formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded()));
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
}
