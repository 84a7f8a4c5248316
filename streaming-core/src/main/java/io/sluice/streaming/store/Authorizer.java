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
 * Decides what the embedding database lets a peer do. Sluice asks anew for each plan, on threads that may block. A
 * timeout of one second, an exception and {@code null} all mean no. With TLS the peer has proved its node id by its
 * certificate before the first call.
 *
 * <p>Thread-safe.
 */
public interface Authorizer {
    /** Every peer that passes TLS may fetch and offer every table, and administrators may give every order. */
    Authorizer EVERYTHING = new Authorizer() {};

    /**
     * Whether the peer may connect to this node. Sluice asks again during a session, at most once a second, when the
     * peer sends a message; if the answer is now no, the session ends.
     */
    default Access mayConnect(Peer peer) {
        return Access.granted();
    }

    /** Whether the peer may fetch these ranges of a table from this node, or query their size. */
    default Access mayFetch(Peer peer, UUID planId, TableRef table, TokenRanges ranges) {
        return Access.granted();
    }

    /** Whether a plan of this node may fetch these ranges of a table from the peer. */
    default Access mayOffer(Peer peer, UUID planId, TableRef table, TokenRanges ranges) {
        return Access.granted();
    }

    /**
     * Whether an administrator may give an order. Default: yes, because the admin endpoint has already authenticated
     * the administrator, for example by a token.
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
     * @param reason why it is denied, for the log of this node; sent to the peer only if the peer is authenticated
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
     * @param nodeId the node id that it claims; if it has a certificate, the certificate belongs to that node
     * @param address its IP address, or the host name used to connect to it
     * @param certificates its certificate chain, its own certificate first; empty without TLS
     */
    record Peer(UUID nodeId, String address, List<X509Certificate> certificates) {
        public Peer {
            certificates = List.copyOf(certificates);
        }

        /** Whether it has proved which node it is. */
        public boolean isAuthenticated() {
            return !certificates.isEmpty();
        }

        /** SHA-256 of its own certificate, in lower-case hexadecimal; empty without TLS. */
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
