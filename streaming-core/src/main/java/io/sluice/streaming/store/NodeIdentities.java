package io.sluice.streaming.store;

import io.sluice.streaming.store.Authorizer.Peer;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Maps a certificate to the nodes that may use it. Must answer from memory. Thread-safe. */
@FunctionalInterface
public interface NodeIdentities {
    /** Prefix of a URI subject alternative name; the node id follows. */
    String NODE_URN = "urn:sluice:node:";

    /**
     * Prefix of a URI subject alternative name; the cluster name follows. A certificate without one is valid in every
     * cluster of its authority.
     */
    String CLUSTER_URN = "urn:sluice:cluster:";

    /** The ids of the nodes that may present {@code certificate}; empty if there is none. */
    Set<UUID> of(X509Certificate certificate);

    /** Reads the subject alternative names that begin with {@value #NODE_URN}. */
    static NodeIdentities byAlternativeName() {
        return certificate -> {
            Set<UUID> nodes = new HashSet<>();
            for (String id : uris(certificate, NODE_URN)) {
                try {
                    nodes.add(UUID.fromString(id));
                } catch (IllegalArgumentException notAnId) {
                    return Set.of(); // a malformed name: the certificate is valid for no node
                }
            }
            return nodes;
        };
    }

    /** Uses a map from SHA-256 fingerprints, in lower-case hexadecimal, to ids of nodes. */
    static NodeIdentities byFingerprint(Map<String, UUID> nodes) {
        Map<String, UUID> known = Map.copyOf(nodes);
        return certificate -> Optional.ofNullable(known.get(Peer.fingerprint(certificate)))
                .map(Set::of)
                .orElse(Set.of());
    }

    /** Accepts the ids of this mapping and of {@code other}. */
    default NodeIdentities or(NodeIdentities other) {
        return certificate -> {
            Set<UUID> nodes = new HashSet<>(of(certificate));
            nodes.addAll(other.of(certificate));
            return nodes;
        };
    }

    /**
     * The names of the clusters that {@code certificate} is for; empty if it names none.
     *
     * @throws IllegalArgumentException if a name is not percent-encoded
     */
    static List<String> clusters(X509Certificate certificate) {
        return uris(certificate, CLUSTER_URN).stream()
                .map(name -> URLDecoder.decode(name, StandardCharsets.UTF_8))
                .toList();
    }

    private static List<String> uris(X509Certificate certificate, String prefix) {
        int uri = 6;
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            return names == null
                    ? List.of()
                    : names.stream()
                            .filter(name -> name.get(0).equals(uri))
                            .map(name -> String.valueOf(name.get(1)))
                            .filter(name -> name.startsWith(prefix))
                            .map(name -> name.substring(prefix.length()))
                            .toList();
        } catch (CertificateParsingException e) {
            return List.of(); // unreadable names name no node
        }
    }
}
